from dataclasses import dataclass


@dataclass
class Config:
    layers: int = 2
    fused: bool = False
    dense_grouped: bool = False
