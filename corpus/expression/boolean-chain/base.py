def eligible(user):
    return user.active and user.verified
