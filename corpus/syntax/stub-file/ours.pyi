from typing import overload

class Client:
    base_url: str
    timeout: float
    def get(self, path: str) -> bytes: ...
    def close(self) -> None: ...
