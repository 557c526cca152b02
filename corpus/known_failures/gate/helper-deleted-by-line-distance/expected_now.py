<<<<<<< ours
def header(text):
    return f"[{text}]"


def footer(text):
    return text


def body(text):
    return text
||||||| base
def _wrap(text):
    return f"[{text}]"


def header(text):
    return _wrap(text)


def footer(text):
    return text


def body(text):
    return text
=======
def _wrap(text):
    return f"[{text}]"


def header(text):
    return _wrap(text)


def footer(text):
    return text


def body(text):
    return _wrap(text)
>>>>>>> theirs
