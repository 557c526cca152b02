from pkg.names import slug


def clean(text):
    return text.strip()


def page(text):
    return f"/{slug(text)}.html"
