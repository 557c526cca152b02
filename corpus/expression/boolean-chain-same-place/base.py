def ready(check):
    return check.completed and check.green
