INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.sessions",
    "shop.cart",
]
