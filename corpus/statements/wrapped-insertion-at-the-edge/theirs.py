def sync(store):
    store.refresh(force=True)
    items = store.changed(limit=LIMIT)
    store.upload(items)
    store.mark(items)
