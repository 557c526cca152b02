from .client import Client
from .errors import ClientError

__all__ = ["Client", "ClientError"]
