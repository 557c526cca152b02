<<<<<<< ours
||||||| base
def _wrap(text):
    return f"[{text}]"


=======
def _wrap(text):
    return f"[{text}]"


>>>>>>> theirs
def header(text):
    return f"[{text}]"


def footer(text):
    return text


def body(text):
    return _wrap(text)
