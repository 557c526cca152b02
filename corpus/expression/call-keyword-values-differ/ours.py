parser.add_argument("--jobs", type=int, default=8, help="Number of workers.")
