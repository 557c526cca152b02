def ready(check):
    return check.completed and check.green and check.head == HEAD
