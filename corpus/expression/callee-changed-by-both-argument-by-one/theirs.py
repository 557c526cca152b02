def route(batch):
    batch.cut(value, record=4, ids=None)
    return batch
