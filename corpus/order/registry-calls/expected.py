register("archive", archive)
register("copy", copy)
<<<<<<< ours
register("delete", delete)
||||||| base
=======
register("list", list_all)
>>>>>>> theirs
register("move", move)
