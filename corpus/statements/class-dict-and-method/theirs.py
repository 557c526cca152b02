class Plugin:
    def __init__(self, name):
        self.options = {
            "name": name,
            "enabled": True,
        }
        """Set by the loader."""

    def enable(self):
        self.options["enabled"] = True
        return self
