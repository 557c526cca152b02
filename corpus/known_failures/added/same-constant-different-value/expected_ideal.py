import os

<<<<<<< ours
CACHE_DIR = os.path.expanduser("~/.cache/app")
||||||| base
=======
CACHE_DIR = os.environ.get("APP_CACHE", "/tmp/app")
>>>>>>> theirs
