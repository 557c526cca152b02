try:
    import tomllib
except ImportError:
    import tomli as tomllib


def load(path):
    return tomllib.loads(path.read_text(encoding="utf-8"))
