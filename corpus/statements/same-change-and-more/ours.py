def tokens(text):
    return text.split()
