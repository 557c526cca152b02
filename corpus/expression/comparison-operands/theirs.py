def check_size(batch):
    if len(batch) > MAX_BATCH_TOKENS:
        raise ValueError("batch is too large")
