def notify(user, message):
    if user.email:
        send_mail(user.email, message)
    else:
        log.warning("no address for %s", user)
