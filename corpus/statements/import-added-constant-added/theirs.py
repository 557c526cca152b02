import os
import time

PAUSE = 0.1


def poll(queue):
    message = queue.get()
    time.sleep(PAUSE)
    return message
