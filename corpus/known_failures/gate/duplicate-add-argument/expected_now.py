def options(parser):
    parser.add_argument("--input")
<<<<<<< ours
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--output")
    parser.add_argument("--verbose", action="store_true")
||||||| base
    parser.add_argument("--output")
    parser.add_argument("--verbose", action="store_true")
=======
    parser.add_argument("--output")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
>>>>>>> theirs
