"""Splits the queue."""


def split(queue, layer):
    layer.cast(3)
    queue.split()
    layer.seal()
