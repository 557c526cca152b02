from scipy.stats import norm, uniform

SAMPLERS = [norm, uniform]
