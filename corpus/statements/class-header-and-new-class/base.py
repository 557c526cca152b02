class Reader:
    def read(self):
        return self.stream.read()


def open_reader(path):
    return Reader(path)
