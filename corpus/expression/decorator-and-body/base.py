import functools


def load_schema(path):
    with open(path) as stream:
        return json.load(stream)
