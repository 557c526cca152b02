def add_training_args(parser):
    group = parser.add_argument_group("training")
    group.add_argument("--micro-batch-size", type=int)
    group.add_argument("--global-batch-size", type=int)
    group.add_argument("--dynamic-context-parallel", action="store_true")
    group.add_argument("--decrease-batch-size", action="store_true")
    return parser
