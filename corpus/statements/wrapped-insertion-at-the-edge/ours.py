def sync(store):
    with store.lock:
        items = store.changed()
        store.upload(items)
        store.mark(items)
