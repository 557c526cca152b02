<<<<<<< ours
import typing as t


def run(args):
    return main(args)
||||||| base
import sys
import typing as t


def run(args):
    return main(args)
=======
import sys
import typing as t


def run(args):
    return sys.exit(main(args))
>>>>>>> theirs
