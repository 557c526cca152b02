"""Splits the queue."""


def split(queue, layer):
    queue.split()
    layer.cast(3)
    layer.seal()
