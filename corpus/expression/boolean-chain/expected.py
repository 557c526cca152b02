def eligible(user):
    return user.active and user.region in REGIONS and user.verified and not user.banned
