<<<<<<< ours
class Store(Mapping, Closeable):
||||||| base
class Store(Mapping):
=======
class Store(Mapping, Lockable):
>>>>>>> theirs
    def __init__(self, data):
        self._data = dict(data)
