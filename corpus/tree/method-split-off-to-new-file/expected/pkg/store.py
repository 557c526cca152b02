import json


class Store:
    def __init__(self, root):
        self.root = root

    def load(self, key):
        return json.loads((self.root / key).read_text())

    def save(self, key, value):
        (self.root / key).write_text(json.dumps(value))
