from .layers import (  # noqa: F401
    ColumnParallelLinear,
    RowParallelLinear,  # noqa: E501
    VocabParallelEmbedding,
)
