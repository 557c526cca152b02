class Reader:
    def read(self):
        return self.stream.read()


class LineReader(Reader):
    def read(self):
        return self.stream.readline()


def open_reader(path):
    return Reader(path)
