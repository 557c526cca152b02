import re


def used(text):
    return text.strip()


def unused(text):
    return re.sub("a", "b", text)
