class TransformerConfig:
    num_layers: int = 12
    """Number of layers."""

    hidden_size: int = 768
    """Hidden size."""
