def load(path):
    stream = open(path)
    try:
        return parse(stream)
    except (ValueError, UnicodeDecodeError):
        return None
    finally:
        stream.close()
