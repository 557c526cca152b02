def drain(queue):
    for n, item in queue.waiting.items():
        queue[n].update(item)
    return queue
