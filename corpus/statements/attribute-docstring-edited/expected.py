class TransformerConfig:
    num_layers: int = 24
    """Number of transformer layers, without the embedding."""

    hidden_size: int = 768
    """Hidden size."""
