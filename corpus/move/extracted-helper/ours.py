def check_quota(user):
    quota = user.plan.quota
    if user.used > quota:
        raise Forbidden("quota")


def handle(request):
    user = request.user
    check_quota(user)
    return respond(request)
