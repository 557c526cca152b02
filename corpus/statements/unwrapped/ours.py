def start(server, config):
    registry = Registry()
    server.mount("/metrics", registry)
    server.listen()
