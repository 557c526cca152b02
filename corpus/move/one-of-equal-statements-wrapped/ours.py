"""Warms the caches of a run."""


def warm(cache):
    if cache.cold:
        cache.load("index", mode="read", depth=1)
    cache.load("index", mode="read", depth=1)
    cache.load("tokens", mode="read", depth=2)
