from typing import overload


@overload
def cut(text: str) -> list[str]: ...
@overload
def cut(text: bytes) -> list[bytes]: ...
def cut(text):
    return text.split()
