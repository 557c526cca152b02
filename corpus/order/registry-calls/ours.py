register("archive", archive)
register("copy", copy)
register("delete", delete)
register("move", move)
