STEPS = [
    "lint",
    "build",
    "test",  # slow
    "ship"
]
