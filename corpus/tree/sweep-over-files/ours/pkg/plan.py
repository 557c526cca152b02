def plan(args):
    return args.dynamic_cp or 1
