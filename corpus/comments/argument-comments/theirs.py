run(
    jobs=4,  # cores
    timeout=60,  # seconds
    verbose=True,  # for the log
)
