from .client import Client
from .errors import ClientError
from .pool import Pool
from .retry import Retry

__all__ = ["Client", "ClientError", "Pool", "Retry"]
