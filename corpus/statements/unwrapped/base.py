def start(server, config):
    if config.metrics:
        registry = Registry()
        server.mount("/metrics", registry)
    server.listen()
