def sync(store):
<<<<<<< ours
    with store.lock:
        items = store.changed()
        store.upload(items)
        store.mark(items)
||||||| base
    items = store.changed()
    store.upload(items)
    store.mark(items)
=======
    store.refresh(force=True)
    items = store.changed(limit=LIMIT)
    store.upload(items)
    store.mark(items)
>>>>>>> theirs
