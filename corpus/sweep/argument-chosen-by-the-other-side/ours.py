def setup(app):
    app.add("retries", 1, None)
    app.add("timeout", None, None)
    app.add("workers", 5, None)
    app.add("anchors", True, None)


def mode(app):
    app.add("mode", 2, None)
