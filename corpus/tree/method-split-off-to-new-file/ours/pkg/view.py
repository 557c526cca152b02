class View:
    def __init__(self, store):
        self.store = store

    def load(self, key):
        return self.store.load(key)

    def render(self, key, width):
        lines = str(self.load(key)).splitlines()
        return "\n".join(line[:width] for line in lines)
