<<<<<<< ours
ALIASES = {
    "a": "alpha",
    "b": "beta",
    "m": "mu",
    "z": "zeta",
}
||||||| base
ALIASES = {
    "a": "alpha",
    "m": "mu",
    "z": "zeta",
}
=======
ALIASES = {
    "a": "alpha",
    "m": "mu",
    "z": "zeta",
    "b": "bravo",
}
>>>>>>> theirs
