"""Opens the stores of a run."""


def open_store(store, kind):
    store.open("shards", kind=kind)
