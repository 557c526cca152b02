def main():
    args = parse_args()
<<<<<<< ours
    args.validate()
||||||| base
=======
    configure_logging(args)
>>>>>>> theirs
    run(args)
