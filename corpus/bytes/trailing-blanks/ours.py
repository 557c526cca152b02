def f():   
    return 11


def g():
    return 2	
