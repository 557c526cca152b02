def check_size(batch):
    if batch.numel() > MAX_BATCH:
        raise ValueError("batch is too large")
