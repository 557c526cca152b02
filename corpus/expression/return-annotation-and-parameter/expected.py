class Loader:
    def read(self, path, *, mode="rb") -> bytes:
        with open(path, mode) as stream:
            return stream.read()
