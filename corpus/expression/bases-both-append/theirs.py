class Store(Mapping, Lockable):
    def __init__(self, data):
        self._data = dict(data)
