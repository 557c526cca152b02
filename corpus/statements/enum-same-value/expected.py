class Status(IntEnum):
    NEW = 1
    DONE = 2
<<<<<<< ours
    FAILED = 3
||||||| base
=======
    SKIPPED = 3
>>>>>>> theirs
