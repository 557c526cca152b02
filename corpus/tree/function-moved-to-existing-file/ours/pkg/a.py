import os

from pkg.text import slug


def path_of(text):
    return os.path.join("out", slug(text))
