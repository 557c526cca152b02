import signal


def wait(child):
    # the loop asks once a second.
    while child.poll() is None:
        child.nudge()
