def load(path):
    stream = open(path)
<<<<<<< ours
    try:
        return parse(stream)
    except ValueError:
        return None
    finally:
        stream.close()
||||||| base
    try:
        return parse(stream)
    except ValueError:
        return None
=======
    try:
        return parse(stream)
    except (ValueError, UnicodeDecodeError):
        return None
>>>>>>> theirs
