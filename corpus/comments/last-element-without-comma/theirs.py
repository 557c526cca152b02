STEPS = [
    "build",
    "test",  # slow
    "ship"
]
