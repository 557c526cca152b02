ALIASES = {
    "a": "alpha",
    "m": "mu",
    "z": "zeta",
}
