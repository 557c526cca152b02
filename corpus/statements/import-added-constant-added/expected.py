import os
import logging
import time

PAUSE = 0.1


def poll(queue):
    message = queue.get()
<<<<<<< ours
    logging.debug("got %s", message)
||||||| base
=======
    time.sleep(PAUSE)
>>>>>>> theirs
    return message
