from typing import overload


@overload
def cut(text: str) -> list[str]: ...
@overload
def cut(text: bytes | bytearray) -> list[bytes]: ...
@overload
def cut(text: None) -> None: ...
def cut(text):
    return None if text is None else text.split()
