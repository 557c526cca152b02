register("archive", archive)
register("copy", copy)
register("list", list_all)
register("move", move)
