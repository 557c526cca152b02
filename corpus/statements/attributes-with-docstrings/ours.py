from dataclasses import dataclass


@dataclass
class OptimizerConfig:
    """Settings of the optimizer."""

    lr: float = 1e-3
    """Learning rate."""

    use_layer_wise: bool = False
    """Whether each layer steps on its own."""
