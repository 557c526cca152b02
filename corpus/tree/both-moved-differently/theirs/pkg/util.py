from pkg.batches import chunked


def flat(rows):
    return [item for row in rows for item in row]
