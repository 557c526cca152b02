@convert.register
def _(value: int):
    return f"{value:d}"


@convert.register
def _(value: list):
    return ",".join(map(convert, value))
