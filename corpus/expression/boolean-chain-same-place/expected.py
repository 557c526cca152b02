def ready(check):
<<<<<<< ours
    return check.completed and check.green and check.head == HEAD
||||||| base
    return check.completed and check.green
=======
    return check.completed and check.green and not check.stale
>>>>>>> theirs
