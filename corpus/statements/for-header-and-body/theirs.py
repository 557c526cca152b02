def scale(shards, factor):
    for shard in shards:
        if shard is not None:
            shard.mul_(factor)
