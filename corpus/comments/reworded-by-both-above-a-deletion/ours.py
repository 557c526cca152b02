import signal


def wait(child):
    # Some systems reap the child by themselves,
    # so that the call below gets an error.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while child.poll() is None:
        child.nudge()
