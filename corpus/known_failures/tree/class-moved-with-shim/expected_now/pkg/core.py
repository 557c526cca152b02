from pkg.registry import Registry  # noqa: F401 - moved, kept for imports
<<<<<<< ours
||||||| base
class Registry:
    def add(self, name, value):
        self.items[name] = value
=======
class Registry:
    def add(self, name, value):
        self.items[name] = value

    def get(self, name):
        return self.items[name]
>>>>>>> theirs

REGISTRY = Registry()
