def boot(app):
    app.load_config()
    app.connect()
    app.migrate()
    app.serve()
