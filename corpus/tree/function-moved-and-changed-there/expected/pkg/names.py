def slug(text):
    words = text.strip().casefold().split()
    return "_".join(word for word in words if word)
