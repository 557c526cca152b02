def alpha():
    return "a"


def alpha_upper():
    return alpha().upper()


def beta():
    return "b"


def gamma():
    return "g"
