def size(path):
<<<<<<< ours
    return path.stat().st_blocks * 512
||||||| base
    return path.stat().st_size
=======
    return 0 if path.is_dir() else path.stat().st_size
>>>>>>> theirs
