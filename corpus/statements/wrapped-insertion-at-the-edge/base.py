def sync(store):
    items = store.changed()
    store.upload(items)
    store.mark(items)
