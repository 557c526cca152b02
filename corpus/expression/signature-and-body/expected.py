def normalise(name: str) -> str:
    name = name.strip()
    return name.casefold()
