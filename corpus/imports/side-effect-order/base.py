import os

os.environ.setdefault("APP_SETTINGS", "prod")

# Must come after the environment is set.
from app import create_app  # noqa: E402

application = create_app()
