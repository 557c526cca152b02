import os


def poll(queue):
    message = queue.get()
    return message
