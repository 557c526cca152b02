"""Warms a cache."""


def warm(cache):
<<<<<<< ours
    cache.load("index", depth=0)
    # Twice: the first run only counts.
    cache.load("index", depth=1, dry=True)
    cache.load("index", depth=1)
||||||| base
    cache.load("index", depth=0)
    # Twice: the first run only counts.
    cache.load("index", depth=1)
    cache.load("index", depth=1)
=======
    # Twice: the first run only counts.
    cache.load("index", depth=1)
    cache.load("index", depth=1)
    cache.load("index", depth=0)
>>>>>>> theirs
    cache.seal()
