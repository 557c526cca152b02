import re


def slugify(text):
    text = text.strip()
    text = text.lower()
    return re.sub(r"\s+", "-", text)
