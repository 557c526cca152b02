import typing as t


def run(args):
    return main(args)
