from typing import overload


@overload
def get(key: str) -> str: ...
@overload
def get(key: str, default: int) -> str | int: ...
@overload
def get(key: str, default: bytes) -> str | bytes: ...
def get(key, default=None):
    return ENV.get(key.upper(), default)
