def main():
    args = parse_args()
    run(args)
