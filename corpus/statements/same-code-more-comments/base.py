def drain(queue):
    queue.update((n, item.copy()) for n, item in queue.waiting.items())
    return queue
