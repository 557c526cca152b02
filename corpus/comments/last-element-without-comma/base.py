STEPS = [
    "build",
    "test"  # slow
]
