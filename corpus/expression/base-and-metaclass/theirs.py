class Registry(dict, metaclass=Singleton):
    """Named factories."""

    def register(self, name, factory):
        self[name] = factory
