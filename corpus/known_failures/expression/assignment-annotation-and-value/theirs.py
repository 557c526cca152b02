class Settings:
    timeout = 60
    retries = 3
