from numpy import array, zeros

GRID = zeros((3, 3))
ROW = array([1, 2, 3])
