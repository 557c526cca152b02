def slugify(text):
    text = text.strip()
    text = text.casefold()
    return text.replace(" ", "-")
