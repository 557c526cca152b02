class Loader:
    def read(self, path, *, mode="rb"):
        with open(path, mode) as stream:
            return stream.read()
