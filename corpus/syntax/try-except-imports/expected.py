try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib


def load(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))
