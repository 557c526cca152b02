def check(a, b, c):
    return (
        a is not None
        and a.valid()
        and b.valid()
        and c.valid()
    )
