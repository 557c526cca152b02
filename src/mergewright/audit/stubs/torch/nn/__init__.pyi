from typing import Any

from .modules.module import Module as Module

def __getattr__(name: str) -> Any: ...
