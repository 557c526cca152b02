def route(path):
    if path.startswith("/api"):
        return api(path)
    else:
        return page(path)
