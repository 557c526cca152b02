import sys

if sys.platform == "win32":

    def lock(stream):
        msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)

else:

    def lock(stream):
        fcntl.flock(stream, fcntl.LOCK_EX)
