class Loader:
    def read(self, path):
        with open(path, "rb") as stream:
            return stream.read()
