parser.add_argument("--jobs", type=int, default=4, help="Number of workers.")
