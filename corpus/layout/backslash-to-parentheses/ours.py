def check(a, b, c):
    return (
        a.valid()
        and b.valid()
        and c.valid()
    )
