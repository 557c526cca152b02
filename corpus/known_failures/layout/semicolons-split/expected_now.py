def setup():
<<<<<<< ours
    a = 1
    b = 2
    c = 3
||||||| base
    a = 1; b = 2; c = 3
=======
    a = 1; b = 20; c = 3
>>>>>>> theirs
    return a, b, c
