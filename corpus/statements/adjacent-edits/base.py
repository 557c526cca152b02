def connect(settings):
    host = settings.host
    port = settings.port
    return Client(host, port)
