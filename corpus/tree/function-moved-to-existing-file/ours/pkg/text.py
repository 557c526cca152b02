def title(text):
    return text.title()


def slug(text):
    return text.lower().replace(" ", "-")
