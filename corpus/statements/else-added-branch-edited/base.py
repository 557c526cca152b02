def notify(user, message):
    if user.email:
        send_mail(user.email, message)
