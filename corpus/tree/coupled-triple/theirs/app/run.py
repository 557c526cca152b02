def main(args):
    return start(args.model, seed=args.seed)
