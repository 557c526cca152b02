def plan(args):
    return args.hybrid_cp or 1
