def route(path):
    if path.startswith("/api"):
        return api(path)
    return page(path)
