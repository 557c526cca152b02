def check_quota(user):
    quota = user.plan.quota
    if user.used > quota:
        raise Forbidden("quota")


def handle(request):
    user = request.user
<<<<<<< ours
    check_quota(user)
||||||| base
    quota = user.plan.quota
    if user.used > quota:
        raise Forbidden("quota")
=======
    quota = user.plan.quota
    if user.used >= quota:
        raise Forbidden("quota")
>>>>>>> theirs
    return respond(request)
