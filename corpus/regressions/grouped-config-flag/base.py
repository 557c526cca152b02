@dataclass
class TransformerConfig:
    fused_mlp: bool = False
    """Use the fused perceptron."""

    bias_dropout_fusion: bool = False
    """Fuse bias and dropout."""
