def keep():
    return 1
<<<<<<< ours
||||||| base


def legacy(path):
    return path.read_text().upper()
=======


def legacy(path: Path) -> str:
    check(path)
    return path.read_text().upper()
>>>>>>> theirs
