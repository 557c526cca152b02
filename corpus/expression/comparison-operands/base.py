def check_size(batch):
    if len(batch) > MAX_BATCH:
        raise ValueError("batch is too large")
