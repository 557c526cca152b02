from .utils import chunked

PAIRS = chunked(range(8), 2)
