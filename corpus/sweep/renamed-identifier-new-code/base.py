def plan(args):
    if args.hybrid_cp:
        return args.hybrid_cp
    return 1


def check(args):
    assert not args.hybrid_cp or args.packing
