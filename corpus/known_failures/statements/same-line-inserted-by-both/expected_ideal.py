def main():
    args = parse_args()
    args.validate()
    return run(args)
