from numpy import arange, array, zeros

GRID = zeros((3, 3))
ROW = array(arange(1, 4))
