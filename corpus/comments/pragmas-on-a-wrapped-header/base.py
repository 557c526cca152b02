class Crane(Base[Load]):  # type: ignore
    arm = 1
