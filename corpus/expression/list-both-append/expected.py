INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.sessions",
<<<<<<< ours
    "shop.cart",
||||||| base
=======
    "shop.search",
>>>>>>> theirs
]
