class Crane(Base[Load[Any]]):  # type: ignore
    arm = 1
