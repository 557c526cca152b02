def weigh(crate):
    return crate.mass


def label(crate: Crate, size: int) -> str:
    return f"{crate.name}/{size}"


def ship(crate):
    return crate.port
