from depot.crane import (  # type: ignore[import]
    lift,
    lower,
)

lift(lower)
