from numpy import arange, array, zeros as np_zeros

GRID = np_zeros((3, 3))
ROW = array(arange(1, 4))
