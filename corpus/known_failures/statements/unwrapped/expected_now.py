def start(server, config):
<<<<<<< ours
    registry = Registry()
    server.mount("/metrics", registry)
||||||| base
    if config.metrics:
        registry = Registry()
        server.mount("/metrics", registry)
=======
    if config.metrics:
        registry = Registry()
        server.mount("/metrics", registry, auth=config.auth)
>>>>>>> theirs
    server.listen()
