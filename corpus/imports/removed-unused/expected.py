import random
import time


def stamp():
    return time.time() + random.random()
