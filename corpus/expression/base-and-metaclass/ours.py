class Registry(UserDict):
    """Named factories."""

    def register(self, name, factory):
        self[name] = factory
