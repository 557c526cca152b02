import signal


def wait(child):
<<<<<<< ours
    # without this the parent gets an error.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
||||||| base
    # and the call below would fail.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
=======
>>>>>>> theirs
    # the loop asks once a second.
    while child.poll() is None:
        child.nudge()
