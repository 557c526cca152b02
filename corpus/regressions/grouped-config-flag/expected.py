@dataclass
class TransformerConfig:
    fused_mlp: bool = False
    """Use the fused perceptron, where Transformer Engine has it."""

    dense_grouped_gemm: bool = False
    """Use grouped multiplication for dense perceptrons."""

    fused_mlp_op: str = "auto"
    """Which fused operation is used."""

    bias_dropout_fusion: bool = False
    """Fuse bias and dropout."""
