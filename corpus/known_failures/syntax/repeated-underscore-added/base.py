@convert.register
def _(value: int):
    return str(value)
