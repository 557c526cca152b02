from depot.crane import (
    lift,
    lower,
)

lift(lower)
