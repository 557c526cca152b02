class Client:
    def __init__(self, name):
        self.name = name
        self.headers = {
            "accept": "json",
            "agent": name,
        }
        """Headers of every request."""

    def send(self, path, *, timeout=None):
        return self.get(path, headers=self.headers, timeout=timeout)
