def keep():
    return 1


def legacy(path: Path) -> str:
    check(path)
    return path.read_text().upper()
