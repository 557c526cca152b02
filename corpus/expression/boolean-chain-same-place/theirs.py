def ready(check):
    return check.completed and check.green and not check.stale
