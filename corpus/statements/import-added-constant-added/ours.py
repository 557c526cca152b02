import os
import logging


def poll(queue):
    message = queue.get()
    logging.debug("got %s", message)
    return message
