from .utils import windowed
from ..utils import chunked

PAIRS = list(windowed(chunked(range(8), 2), 2))
