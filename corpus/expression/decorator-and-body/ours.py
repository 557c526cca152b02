import functools


@functools.lru_cache(maxsize=None)
def load_schema(path):
    with open(path) as stream:
        return json.load(stream)
