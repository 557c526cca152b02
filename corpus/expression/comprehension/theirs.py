def names(users):
    return [user.name for user in users if user.active and user.consented]
