class Loader:
    def read(self, path) -> bytes:
        with open(path, "rb") as stream:
            return stream.read()
