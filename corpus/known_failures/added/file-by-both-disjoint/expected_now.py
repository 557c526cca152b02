"""Helpers of the test-suite."""

import os


def temp_name():
    return os.urandom(4).hex()

import time


def wait_for(check):
    while not check():
        time.sleep(0.1)
