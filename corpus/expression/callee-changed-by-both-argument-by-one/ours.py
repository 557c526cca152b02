def route(batch):
    batch.cut(value, record=3)
    return batch
