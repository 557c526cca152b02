STEPS = [
    "lint",
    "build",
    "test"  # slow
]
