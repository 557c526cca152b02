def index(rows: list[str], key: str | None = None, *, strict: bool = False) -> dict[str, list[str]]:
    return group(rows, key, strict)


def names(rows: list[str]) -> list[str] | None:
    return sorted(rows) or None
