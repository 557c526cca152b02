class Cache:
    _entries: dict[str, tuple[float, memoryview]]
