import json


class Store:
    def __init__(self, root):
        self.root = root

    def load(self, key):
        return json.loads((self.root / key).read_text())

    def render(self, key, width):
        lines = str(self.load(key)).splitlines()
        return "\n".join(line[:width].rstrip() for line in lines if line)

    def save(self, key, value):
        (self.root / key).write_text(json.dumps(value))
