import signal


def wait(child):
<<<<<<< ours
    # Some systems reap the child by themselves,
    # so that the call below gets an error.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
||||||| base
    # Some systems reap the child by themselves,
    # and the call below would fail.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
=======
>>>>>>> theirs
    # Some systems reap the child by themselves,
    # and the loop never ends.
    while child.poll() is None:
        child.nudge()
