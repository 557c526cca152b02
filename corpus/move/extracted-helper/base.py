def handle(request):
    user = request.user
    quota = user.plan.quota
    if user.used > quota:
        raise Forbidden("quota")
    return respond(request)
