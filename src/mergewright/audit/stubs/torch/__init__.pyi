from typing import Any

from . import nn as nn

def __getattr__(name: str) -> Any: ...
