def check_size(batch):
    if batch.numel() > MAX_BATCH_TOKENS:
        raise ValueError("batch is too large")
