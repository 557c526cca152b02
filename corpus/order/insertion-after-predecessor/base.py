def alpha():
    return "a"


def beta():
    return "b"


def gamma():
    return "g"
