"""Warms a cache."""


def warm(cache):
    cache.load("index", depth=0)
    # Twice: the first run only counts.
    cache.load("index", depth=1)
    cache.load("index", depth=1)
    cache.seal()
