import re


def used(text):
    return text.strip()
