def main(args):
    return start(args.model)
