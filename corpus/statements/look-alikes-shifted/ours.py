"""Plans the shards of a run."""


def plan(planner):
    # Small runs keep everything on one host.
    planner.place("small", hosts=1, spread=False)
    # Large runs take what there is.
    planner.place("small", hosts=1, spread=True)
    planner.seal()
