"""Places the shards."""


def place(planner, hosts, spread):
<<<<<<< ours
    planner.place(spread=spread, hosts=hosts, pinned=False, most=4)
    planner.place(hosts=hosts, spread=spread, pinned=False, dry=True)
||||||| base
    planner.place(hosts=hosts, spread=spread, pinned=False)
=======
    planner.place(hosts=hosts, spread=spread, pinned=False, most=8)
>>>>>>> theirs
    planner.seal()
