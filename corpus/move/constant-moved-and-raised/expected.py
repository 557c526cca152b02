"""The harbour."""

from .berth import Berth
from .pier import Pier

__version__ = "1.0.0.dev0"
