def names(users):
    result = []
    for user in users:
        result.append(user.name)
    return result
