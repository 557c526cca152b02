def codec(name):
    if name == "gzip":
        return Gzip()
    elif name == "lzma":
        return Lzma()
    raise KeyError(name)
