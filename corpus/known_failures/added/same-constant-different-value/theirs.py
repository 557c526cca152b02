import os

CACHE_DIR = os.environ.get("APP_CACHE", "/tmp/app")
