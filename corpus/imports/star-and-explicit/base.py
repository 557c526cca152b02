from .export import *
from .megatron import *
