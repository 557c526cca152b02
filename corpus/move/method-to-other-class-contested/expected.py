class Job:
    def run(self):
        return self.execute()
<<<<<<< ours
||||||| base

    def render(self, width):
        lines = self.path.read_text().splitlines()
        return "\n".join(line[:width] for line in lines)
=======

    def render(self, width):
        lines = self.path.read_text(encoding="latin-1").splitlines()
        return "\n".join(line[:width] for line in lines)
>>>>>>> theirs


class View:
    def __init__(self, path):
        self.path = path

    def render(self, width):
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return "\n".join(line[:width] for line in lines)
