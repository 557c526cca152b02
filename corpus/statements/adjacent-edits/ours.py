def connect(settings):
    host = settings.host or "localhost"
    port = settings.port
    return Client(host, port)
