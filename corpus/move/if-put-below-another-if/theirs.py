def load(source):
    value = source.read(1, limit)
    if source.inner.flag:
        source.reset(2)
    else:
        source.skip(2)
    return value
