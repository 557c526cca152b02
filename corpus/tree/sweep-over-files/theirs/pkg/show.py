def show(args):
    print(args.hybrid_cp or "none")
