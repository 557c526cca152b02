def show(args):
<<<<<<< ours
    print(args.dynamic_cp)
||||||| base
    print(args.hybrid_cp)
=======
    print(args.hybrid_cp or "none")
>>>>>>> theirs
