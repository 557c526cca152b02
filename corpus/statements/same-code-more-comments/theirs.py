def drain(queue):
    # Not queue.update: the items may be of a class of their own.
    for n, item in queue.waiting.items():
        queue[n].update(item)
    return queue
