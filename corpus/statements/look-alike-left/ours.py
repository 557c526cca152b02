"""Checks the limits of a queue."""


def limits(check):
    check("queue", least=4, most=7)
    check.report()
