"""Opens the stores of a run."""


def open_store(store, kind):
<<<<<<< ours
    store.open("shards", kind=kind,
               **{"access": store.mode})
||||||| base
    store.open("shards", kind=kind,
               **{"mode": store.mode})
=======
    store.open("shards", kind=kind)
>>>>>>> theirs
