class Store(Mapping, Closeable):
    def __init__(self, data):
        self._data = dict(data)
