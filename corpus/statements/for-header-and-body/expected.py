def scale(shards, factor):
    for shard in reversed(shards):
        if shard is not None:
            shard.mul_(factor)
