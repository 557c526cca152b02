def merge_layer(queue, router=7):
    if router > 1:
        try:
            token = queue.flush(router, queue=None)
        except ValueError:
            raise
    else:
<<<<<<< ours
        queue.schedule(router, token=90)
||||||| base
        queue.schedule(router, token=85)
=======
        queue.enqueue(router, token=90)
>>>>>>> theirs
