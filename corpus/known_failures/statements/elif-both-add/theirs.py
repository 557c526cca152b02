def codec(name):
    if name == "gzip":
        return Gzip()
    elif name == "lzma":
        return Lzma()
    elif name == "brotli":
        return Brotli()
    raise KeyError(name)
