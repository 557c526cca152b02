LIMITS = {
    # Requests a minute.
    "rate": 60,
    # Seconds.
    "time": 30,
    # Megabytes.
    "size": 20,
    # Levels of nesting.
    "depth": 5,
}
