import re


def used(text):
    return re.sub(r"\s+$", "", text)
