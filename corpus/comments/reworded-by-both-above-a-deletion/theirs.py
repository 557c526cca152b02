import signal


def wait(child):
    # Some systems reap the child by themselves,
    # and the loop never ends.
    while child.poll() is None:
        child.nudge()
