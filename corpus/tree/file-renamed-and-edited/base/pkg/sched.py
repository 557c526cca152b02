def plan(batch, workers):
    size = len(batch) // workers
    return [batch[i:i + size] for i in range(0, len(batch), size)]


def run(parts, step):
    return [step(part) for part in parts]
