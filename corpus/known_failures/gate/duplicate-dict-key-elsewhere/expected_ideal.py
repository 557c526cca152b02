ALIASES = {
    "a": "alpha",
<<<<<<< ours
    "b": "beta",
||||||| base
=======
    "b": "bravo",
>>>>>>> theirs
    "m": "mu",
    "z": "zeta",
}
