@convert.register
def _(value: int):
    return str(value)
<<<<<<< ours


@convert.register
def _(value: bytes):
    return value.decode()
||||||| base
=======


@convert.register
def _(value: float):
    return repr(value)
>>>>>>> theirs
