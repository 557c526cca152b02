class Job:
    def run(self):
        return self.execute()


class View:
    def __init__(self, path):
        self.path = path

    def render(self, width):
        """Render."""
        lines = self.path.read_text().splitlines()
        return "\n".join(line[:width] for line in lines)
