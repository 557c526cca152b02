def retry(func, attempts=5, delay=1.0):
    for attempt in range(attempts):
        try:
            return func()
        except OSError:
            time.sleep(delay)
    raise RuntimeError("out of attempts")
