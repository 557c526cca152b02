from .client import Client
from .errors import ClientError
from .retry import Retry

__all__ = ["Client", "ClientError", "Retry"]
