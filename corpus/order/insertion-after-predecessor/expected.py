def alpha():
    return "a"


def alpha_upper():
    return alpha().upper()


def beta():
    return "b"


def beta_upper():
    return beta().upper()


def gamma():
    return "g"
