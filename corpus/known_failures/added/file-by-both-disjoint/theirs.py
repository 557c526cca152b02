"""Helpers of the test-suite."""

import time


def wait_for(check):
    while not check():
        time.sleep(0.1)
