def split(text):
    # type: (str) -> list[str]
    parts = []  # type: list
    parts.extend(text.split(","))
    return parts
