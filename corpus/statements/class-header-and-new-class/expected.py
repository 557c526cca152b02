class Reader:
    def read(self):
        return self.stream.read(self.limit)


class LineReader(Reader):
    def read(self):
        return self.stream.readline()


def open_reader(path):
    return Reader(path)
