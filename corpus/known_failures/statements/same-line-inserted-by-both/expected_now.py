def main():
    args = parse_args()
<<<<<<< ours
    args.validate()
    run(args)
||||||| base
    run(args)
=======
    args.validate()
    return run(args)
>>>>>>> theirs
