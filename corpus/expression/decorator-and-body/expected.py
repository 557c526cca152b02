import functools


@functools.lru_cache(maxsize=None)
def load_schema(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)
