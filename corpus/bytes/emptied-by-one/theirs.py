from .a import A, B
