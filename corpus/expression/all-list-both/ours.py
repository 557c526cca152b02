from .client import Client
from .errors import ClientError
from .pool import Pool

__all__ = ["Client", "ClientError", "Pool"]
