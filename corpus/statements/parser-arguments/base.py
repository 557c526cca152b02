def add_training_args(parser):
    group = parser.add_argument_group("training")
    group.add_argument("--micro-batch-size", type=int)
    group.add_argument("--global-batch-size", type=int)
    return parser
