from numpy import array, zeros as np_zeros

GRID = np_zeros((3, 3))
ROW = array([1, 2, 3])
