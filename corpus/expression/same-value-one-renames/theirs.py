def merge_layer(queue, router=7):
    if router > 1:
        try:
            token = queue.flush(router, queue=None)
        except ValueError:
            raise
    else:
        queue.enqueue(router, token=90)
