"""Helpers of the test-suite."""

import os


def temp_name():
    return os.urandom(4).hex()
