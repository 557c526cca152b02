class Registry(dict):
    """Named factories."""

    def register(self, name, factory):
        self[name] = factory
