def boot(app):
<<<<<<< ours
    app.connect()
    app.load_config()
    app.migrate()
||||||| base
    app.load_config()
    app.connect()
    app.migrate()
=======
    app.load_config()
    app.migrate()
    app.connect()
>>>>>>> theirs
    app.serve()
