from typing import overload


@overload
def cut(text: str) -> list[str]: ...
@overload
def cut(text: bytes | bytearray) -> list[bytes]: ...
def cut(text):
    return text.split()
