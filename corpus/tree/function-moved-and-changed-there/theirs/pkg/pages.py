def clean(text):
    return text.strip()


def slug(text):
    words = clean(text).lower().split()
    return "".join(word.title() for word in words if word)


def page(text):
    return f"/{slug(text)}.html"
