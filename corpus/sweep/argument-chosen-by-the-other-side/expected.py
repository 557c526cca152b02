def setup(app):
    app.add("retries", 1, False)
    app.add("timeout", None, False)
    app.add("workers", 5, False)
    app.add("anchors", True, False)


def mode(app):
    app.add("mode", 2, None)
