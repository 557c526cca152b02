class Settings:
    timeout: float = 30
    retries = 3
