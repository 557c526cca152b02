import functools


def load_schema(path):
    with open(path, encoding="utf-8") as stream:
        return json.load(stream)
