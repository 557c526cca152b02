class Registry(UserDict, metaclass=Singleton):
    """Named factories."""

    def register(self, name, factory):
        self[name] = factory
