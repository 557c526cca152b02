def main():
    args = parse_args()
    args.validate()
    run(args)
