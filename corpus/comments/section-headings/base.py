# --- reading ---


def read(path):
    return path.read_text()


# --- writing ---


def write(path, text):
    path.write_text(text)
