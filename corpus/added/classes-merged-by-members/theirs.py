ROOT = "/"


class Node:
    """A path element."""

    def __init__(self, name):
        self.name = name

    def depth(self):
        return self.name.count("/")
