def weigh(crate):
    return crate.mass


def label(crate: "Box", size: int) -> str:
    return f"{crate.name}/{size}"


def ship(crate):
    return crate.port
