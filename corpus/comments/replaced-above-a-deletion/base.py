import signal


def wait(child):
    # and the call below would fail.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while child.poll() is None:
        child.nudge()
