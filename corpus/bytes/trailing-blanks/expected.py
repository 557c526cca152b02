def f():   
    return 11


def g(x):
    return 2	
