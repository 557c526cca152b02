from .export import *
from .huggingface import load_model
from .megatron import *
