class Reader:
    def read(self):
        return self.stream.read(self.limit)


def open_reader(path):
    return Reader(path)
