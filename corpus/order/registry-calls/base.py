register("archive", archive)
register("copy", copy)
register("move", move)
