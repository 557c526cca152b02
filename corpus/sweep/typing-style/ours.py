def index(rows: list[str], key: str | None = None) -> dict[str, list[str]]:
    return group(rows, key)


def names(rows: list[str]) -> list[str] | None:
    return sorted(rows) or None
