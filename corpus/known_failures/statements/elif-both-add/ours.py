def codec(name):
    if name == "gzip":
        return Gzip()
    elif name == "lzma":
        return Lzma()
    elif name == "zstd":
        return Zstd()
    raise KeyError(name)
