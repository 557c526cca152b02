"""Writes shards to a store."""


<<<<<<< ours
def write(shard, store, mode):
||||||| base
def write(shard, store, retries, quiet, mode):
=======
def write(shard, store, retries: int, mode):
>>>>>>> theirs
    return store.put(shard, mode)
