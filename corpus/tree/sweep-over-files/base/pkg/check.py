def check(args):
    assert args.hybrid_cp is None
