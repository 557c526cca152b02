def report(args):
    return args.name
