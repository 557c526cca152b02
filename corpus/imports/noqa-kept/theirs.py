from .layers import (  # noqa: F401
    ColumnParallelLinear,
    ReplicatedLinear,  # noqa: E501
    RowParallelLinear,  # noqa: E501
)
