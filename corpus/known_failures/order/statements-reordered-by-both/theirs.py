def boot(app):
    app.load_config()
    app.migrate()
    app.connect()
    app.serve()
