def main():
    args = parse_args()
    configure_logging(args)
    run(args)
