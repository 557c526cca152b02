@convert.register
def _(value: int):
    return str(value)


@convert.register
def _(value: bytes):
    return value.decode()
