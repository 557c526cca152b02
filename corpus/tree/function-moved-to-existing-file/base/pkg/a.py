import os


def slug(text):
    return text.lower().replace(" ", "-")


def path_of(text):
    return os.path.join("out", slug(text))
