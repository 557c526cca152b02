"""Helpers of the test-suite."""

import os
import time


def temp_name():
    return os.urandom(4).hex()


def wait_for(check):
    while not check():
        time.sleep(0.1)
