def load(source):
    value = source.read(1, limit)
    if source.closed:
        return None
    else:
        if source.flag:
            source.reset(2)
        else:
            source.skip(2)
    return value
