"""Checks the limits of a queue."""


def limits(check):
    check("queue", least=1, most=8, strict=True)
    check("queue", least=2, most=9)
    check.report()
