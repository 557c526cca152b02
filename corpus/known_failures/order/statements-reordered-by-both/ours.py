def boot(app):
    app.connect()
    app.load_config()
    app.migrate()
    app.serve()
