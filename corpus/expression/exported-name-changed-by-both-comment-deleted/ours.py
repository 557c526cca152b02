__all__ = [
    # Functions
    "calcsize",
    "pack_into",

    # Classes
    "Layout",

    "error",
]
