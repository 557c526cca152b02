import os

from pkg.text import slug
<<<<<<< ours
||||||| base


def slug(text):
    return text.lower().replace(" ", "-")
=======


def slug(text):
    return text.casefold().replace(" ", "-")
>>>>>>> theirs


def path_of(text):
    return os.path.join("out", slug(text))
