from depot.crane import (
    lift,
    turn,
)

lift(turn)
