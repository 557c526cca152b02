def plan(args):
    if args.dynamic_cp:
        return args.dynamic_cp
    return 1


def check(args):
    assert not args.dynamic_cp or args.packing


def label(args):
    return "hybrid" if args.dynamic_cp else "plain"
