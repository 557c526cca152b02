"""Writes shards to a store."""


def write(shard, store, mode):
    return store.put(shard, mode)
