def title(text):
    return text.strip().title()


def slug(text):
    return text.casefold().replace(" ", "-")
