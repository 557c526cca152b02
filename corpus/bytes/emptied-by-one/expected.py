from .a import B
