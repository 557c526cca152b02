def names(users):
<<<<<<< ours
    return [user.name for user in users]
||||||| base
    result = []
    for user in users:
        result.append(user.name)
    return result
=======
    result = []
    for user in users:
        if user.active:
            result.append(user.name)
    return result
>>>>>>> theirs
