def names(users):
    return [user.display_name for user in users if user.active]
