"""Writes shards to a store."""


def write(shard, store, retries: int, mode):
    return store.put(shard, mode)
