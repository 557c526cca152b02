import os
<<<<<<< ours
import logging
||||||| base
=======
import time

PAUSE = 0.1
>>>>>>> theirs


def poll(queue):
    message = queue.get()
<<<<<<< ours
    logging.debug("got %s", message)
||||||| base
=======
    time.sleep(PAUSE)
>>>>>>> theirs
    return message
