from typing import Any

from .module import Module as Module

def __getattr__(name: str) -> Any: ...
