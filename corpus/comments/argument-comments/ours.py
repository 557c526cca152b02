run(
    jobs=4,  # cores
    retries=2,  # attempts
    timeout=60,  # seconds
)
