def plan(args):
    if args.dynamic_context_parallel:
        size = args.dynamic_context_parallel_size
    else:
        size = 1
    return size


def check(args):
    assert not args.dynamic_context_parallel or args.sequence_packing, "needs packing"


def describe(args):
    return f"cp={args.dynamic_context_parallel}"
