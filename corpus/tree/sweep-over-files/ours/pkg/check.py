def check(args):
    assert args.dynamic_cp is None
