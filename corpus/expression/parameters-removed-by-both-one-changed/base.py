"""Writes shards to a store."""


def write(shard, store, retries, quiet, mode):
    return store.put(shard, mode)
