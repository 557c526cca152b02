def names(users):
    return [user.name for user in users]
