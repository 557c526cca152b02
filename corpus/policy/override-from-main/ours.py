def report(args):
    return args.name + args.dev_suffix
