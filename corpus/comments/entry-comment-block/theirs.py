LIMITS = {
    # Requests a minute.
    "rate": 60,
    # Megabytes.
    "size": 20,
    # Levels of nesting.
    "depth": 5,
}
