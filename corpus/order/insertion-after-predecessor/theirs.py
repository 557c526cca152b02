def alpha():
    return "a"


def beta():
    return "b"


def beta_upper():
    return beta().upper()


def gamma():
    return "g"
