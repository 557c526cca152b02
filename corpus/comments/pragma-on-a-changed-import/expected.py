from depot.crane import (  # type: ignore[import]
    lift,
    turn,
)

lift(turn)
