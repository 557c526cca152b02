def split(text):
    # type: (str) -> list
    parts = []  # type: list
    parts.extend(text.split())
    return parts
