def slugify(text):
    text = text.strip()
    text = text.lower()
    return text.replace(" ", "-")
