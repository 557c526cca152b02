def eligible(user):
    return user.active and user.verified and not user.banned
