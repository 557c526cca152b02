<<<<<<< ours
__all__ = [
    # Functions
    "calcsize",
    "pack_into",

    # Classes
    "Layout",

    "error",
]
||||||| base
__all__ = [
    # Functions
    "calcsize",
    "pack",

    # Classes
    "Struct",

    # Exceptions
    "error",
]
=======
__all__ = [
    # Functions
    "calcsize",
    "pack",

    # Classes
    "Layout",

    # Exceptions
    "error",
]
>>>>>>> theirs
