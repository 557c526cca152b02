"""Places the shards."""


def place(planner, hosts, spread):
    planner.place(hosts=hosts, spread=spread, pinned=False, most=8)
    planner.seal()
