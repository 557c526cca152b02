def cached(limit):
    def wrap(func):
        entries = OrderedDict()

        def call(*args):
            if args not in entries:
                entries[args] = func(*args)
            return entries[args]

        return call

    return wrap
