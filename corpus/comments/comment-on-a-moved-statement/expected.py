"""Splits the queue."""


def split(queue, layer):
<<<<<<< ours
||||||| base
    queue.split()
=======
    queue.split()  # Twice at most.
>>>>>>> theirs
    layer.cast(3)
    queue.split()
    layer.seal()
