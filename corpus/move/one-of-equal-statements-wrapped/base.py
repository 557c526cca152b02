"""Warms the caches of a run."""


def warm(cache):
    cache.load("index", mode="read", depth=1)
    cache.load("tokens", mode="read", depth=2)
    cache.load("index", mode="read", depth=1)
