@convert.register
def _(value: int):
    return str(value)


@convert.register
def _(value: list):
    return ", ".join(map(convert, value))
