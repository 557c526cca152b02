def options(parser):
    parser.add_argument("--input")
    parser.add_argument("--output")
    parser.add_argument("--verbose", action="store_true")
