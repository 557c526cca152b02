def weigh(crate):
    return crate.mass
<<<<<<< ours


def label(crate: "Box", size: int) -> str:
    return f"{crate.name}/{size}"
||||||| base


def label(crate: "Crate", size: int) -> str:
    return f"{crate.name}/{size}"
=======
>>>>>>> theirs


def ship(crate):
    return crate.port
