ROOT = "/"


class Node:
    """A path element."""

    def __init__(self, name):
        self.name = name

    def path(self):
        return ROOT + self.name
