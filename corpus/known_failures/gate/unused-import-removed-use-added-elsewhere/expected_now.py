import typing as t


def run(args):
    return sys.exit(main(args))
