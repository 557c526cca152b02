LIMITS = {
    # Requests a minute.
    "rate": 60,
    # Megabytes.
    "size": 10,
}
