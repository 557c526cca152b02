def allowed(user):
    if user.is_admin or user.is_owner:
        return True
    return False
