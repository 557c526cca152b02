class Registry:
    def add(self, name, value):
        self.items[name] = value

    def get(self, name):
        return self.items[name]


REGISTRY = Registry()
