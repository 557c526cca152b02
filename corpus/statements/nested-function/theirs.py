def cached(limit):
    def wrap(func):
        entries = {}

        def call(*args):
            if args not in entries:
                entries[args] = func(*args)
            while len(entries) > limit:
                entries.pop(next(iter(entries)))
            return entries[args]

        return call

    return wrap
