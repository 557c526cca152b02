def connect(settings):
    host = settings.host or "localhost"
    port = int(settings.port)
    return Client(host, port)
