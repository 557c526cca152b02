def header(text):
    return f"[{text}]"


def footer(text):
    return text


def body(text):
    return text
