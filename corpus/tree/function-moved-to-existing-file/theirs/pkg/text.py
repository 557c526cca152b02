def title(text):
    return text.strip().title()
