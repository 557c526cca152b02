def route(path):
    if path.startswith("/api"):
        return api(path)
<<<<<<< ours
    return page(path)
||||||| base
    else:
        return page(path)
=======
    else:
        return page(path, cache=True)
>>>>>>> theirs
