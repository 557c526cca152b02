from scipy.stats import (
    norm,
    uniform,
    zscore,
)

SAMPLERS = [norm, uniform]
