def notify(user, message):
    if user.email:
<<<<<<< ours
        send_mail(user.email, message)
    else:
        log.warning("no address for %s", user)
||||||| base
        send_mail(user.email, message)
=======
        send_mail(user.email, message, reply_to=SUPPORT)
>>>>>>> theirs
