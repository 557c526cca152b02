def names(users):
    result = []
    for user in users:
        if user.active:
            result.append(user.name)
    return result
