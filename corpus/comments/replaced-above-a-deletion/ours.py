import signal


def wait(child):
    # without this the parent gets an error.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while child.poll() is None:
        child.nudge()
