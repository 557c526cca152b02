"""Plans the shards of a run."""


def plan(planner):
    # Small runs keep everything on one host.
<<<<<<< ours
    planner.place("small", hosts=1, spread=False)
    # Large runs take what there is.
    planner.place("small", hosts=1, spread=True)
||||||| base
    planner.place("small", hosts=1, spread=False,
                  pinned=True)
    # Large runs take what there is.
    planner.place("small", hosts=1, spread=False)
=======
    planner.place("small", hosts=1, spread=False,
                  pinned=True)
    # Large runs take what there is.
    planner.place("small", hosts=1)
>>>>>>> theirs
    planner.seal()
