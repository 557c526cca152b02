def report(args):
    return args.run_name
