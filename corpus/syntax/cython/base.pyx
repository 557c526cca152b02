cdef int add(int a, int b) nogil:
    return a + b

cpdef double mean(double[:] values):
    cdef double total = 0
    for i in range(values.shape[0]):
        total += values[i]
    return total / values.shape[0]
