class Job:
    def run(self):
        return self.execute()


class View:
    def __init__(self, path):
        self.path = path

    def render(self, width):
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return "\n".join(line[:width] for line in lines)
