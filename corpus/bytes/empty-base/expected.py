from .a import A
from .b import B
