TIMEOUT = 30  # seconds
RETRIES = 3
