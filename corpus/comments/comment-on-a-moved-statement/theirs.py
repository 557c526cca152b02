"""Splits the queue."""


def split(queue, layer):
    queue.split()  # Twice at most.
    layer.cast(3)
    layer.seal()
