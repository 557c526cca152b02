from .b import B
