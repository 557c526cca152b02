class Settings:
    timeout = 30
    retries = 3
