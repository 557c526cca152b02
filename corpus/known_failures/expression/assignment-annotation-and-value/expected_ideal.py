class Settings:
    timeout: float = 60
    retries = 3
