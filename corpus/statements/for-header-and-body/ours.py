def scale(shards, factor):
    for shard in reversed(shards):
        shard.mul_(factor)
