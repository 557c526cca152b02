class Status(IntEnum):
    NEW = 1
    DONE = 2
    FAILED = 3
