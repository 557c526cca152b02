import re


def slugify(text):
    text = text.strip()
    text = text.casefold()
    return re.sub(r"\s+", "-", text)
