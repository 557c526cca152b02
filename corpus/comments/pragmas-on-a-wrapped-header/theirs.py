class Crane(  # type: ignore # noqa
    Base[Load]
):
    arm = 1
