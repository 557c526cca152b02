def main(args):
    return start(args.model, graph=args.graph, seed=args.seed)
