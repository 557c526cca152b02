def plan(args):
    if args.hybrid_context_parallel:
        size = args.hybrid_context_parallel_size
    else:
        size = 1
    return size


def check(args):
    assert not args.hybrid_context_parallel or args.sequence_packing


def describe(args):
    return f"cp={args.hybrid_context_parallel}"
