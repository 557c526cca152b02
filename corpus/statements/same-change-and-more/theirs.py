def tokens(text):
    text = text.strip()
    return text.split()
