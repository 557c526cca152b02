from typing import overload


@overload
def get(key: str) -> str: ...
@overload
def get(key: str, default: int) -> str | int: ...
def get(key, default=None):
    return ENV.get(key.upper(), default)
