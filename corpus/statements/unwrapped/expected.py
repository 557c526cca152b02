def start(server, config):
    registry = Registry()
    server.mount("/metrics", registry, auth=config.auth)
    server.listen()
