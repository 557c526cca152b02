class Cache:
    _entries: dict[CacheKey, tuple[float, memoryview]]
