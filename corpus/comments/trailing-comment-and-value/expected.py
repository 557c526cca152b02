TIMEOUT = 60  # seconds
RETRIES = 3
