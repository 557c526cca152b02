def show(args):
    print(args.dynamic_cp or "none")
