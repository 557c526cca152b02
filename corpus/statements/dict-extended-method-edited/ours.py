class Client:
    def __init__(self, name):
        self.name = name
        self.headers = {
            "accept": "json",
            "agent": name,
            "retry": "3",
        }
        """Headers of every request."""
        self.retries = 3
        """How often a request is made again."""

    def send(self, path):
        return self.get(path, headers=self.headers)
