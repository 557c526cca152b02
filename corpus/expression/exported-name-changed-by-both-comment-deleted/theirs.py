__all__ = [
    # Functions
    "calcsize",
    "pack",

    # Classes
    "Layout",

    # Exceptions
    "error",
]
