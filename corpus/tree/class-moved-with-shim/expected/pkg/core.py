from pkg.registry import Registry  # noqa: F401 - moved, kept for imports

REGISTRY = Registry()
