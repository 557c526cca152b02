def weigh(crate):
    return crate.mass


def ship(crate):
    return crate.port
