def boot(app):
<<<<<<< ours
    app.connect()
    app.load_config()
||||||| base
    app.load_config()
    app.connect()
=======
    app.load_config()
>>>>>>> theirs
    app.migrate()
    app.connect()
    app.serve()
