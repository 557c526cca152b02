class Store(Mapping):
    def __init__(self, data):
        self._data = dict(data)
