ALIASES = {
    "a": "alpha",
    "b": "beta",
    "m": "mu",
    "z": "zeta",
}
