@dataclass
class TransformerConfig:
    fused_mlp: bool = False
    """Use the fused perceptron."""

    dense_grouped_gemm: bool = False
    """Use grouped multiplication for dense perceptrons."""

    bias_dropout_fusion: bool = False
    """Fuse bias and dropout."""
