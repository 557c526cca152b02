# --- reading ---


def read(path):
    return path.read_text()


def read_lines(path):
    return path.read_text().splitlines()


# --- writing ---


def write(path, text):
    path.write_text(text)


def append(path, text):
    with path.open("a") as stream:
        stream.write(text)
