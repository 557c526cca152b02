from .utils import chunked, windowed

PAIRS = list(windowed(chunked(range(8), 2), 2))
