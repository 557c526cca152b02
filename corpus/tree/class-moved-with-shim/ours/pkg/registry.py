class Registry:
    def add(self, name, value):
        self.items[name] = value
