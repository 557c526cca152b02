"""Checks the limits of a queue."""


def limits(check):
<<<<<<< ours
    check("queue", least=4, most=7)
||||||| base
    check("queue", least=1, most=8)
    check("queue", least=2, most=9)
=======
    check("queue", least=1, most=8, strict=True)
    check("queue", least=2, most=9)
>>>>>>> theirs
    check.report()
