class Plugin:
    def __init__(self, name):
        self.options = {
            "name": name,
            "enabled": True,
        }
        """Set by the loader."""
        self.hooks = []
        self.loaded = False

    def enable(self):
        self.options["enabled"] = True
        return self
