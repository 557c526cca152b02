"""The harbour."""

__version__ = "0.16.0.dev0"

from .berth import Berth
from .pier import Pier
