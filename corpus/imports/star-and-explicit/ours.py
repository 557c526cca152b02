from .export import *
from .megatron import *
from .megatron_layer_specs import *
