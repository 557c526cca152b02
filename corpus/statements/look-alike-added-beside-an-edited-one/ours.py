"""Places the shards."""


def place(planner, hosts, spread):
    planner.place(spread=spread, hosts=hosts, pinned=False, most=4)
    planner.place(hosts=hosts, spread=spread, pinned=False, dry=True)
    planner.seal()
