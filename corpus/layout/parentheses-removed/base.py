def allowed(user):
    if (user.is_admin):
        return (True)
    return (False)
