__all__ = [
    # Functions
    "calcsize",
    "pack",

    # Classes
    "Struct",

    # Exceptions
    "error",
]
