def route(batch):
    batch.split(value, record=3)
    return batch
