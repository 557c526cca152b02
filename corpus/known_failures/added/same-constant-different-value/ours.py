import os

CACHE_DIR = os.path.expanduser("~/.cache/app")
