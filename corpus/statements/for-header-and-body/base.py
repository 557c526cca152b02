def scale(shards, factor):
    for shard in shards:
        shard.mul_(factor)
