class Crane(  # type: ignore # noqa
    Base[Load[Any]]
):
    arm = 1
