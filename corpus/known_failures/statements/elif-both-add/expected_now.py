def codec(name):
    if name == "gzip":
        return Gzip()
    elif name == "lzma":
        return Lzma()
<<<<<<< ours
    elif name == "zstd":
        return Zstd()
||||||| base
=======
    elif name == "brotli":
        return Brotli()
>>>>>>> theirs
    raise KeyError(name)
