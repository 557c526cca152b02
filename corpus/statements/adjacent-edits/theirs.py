def connect(settings):
    host = settings.host
    port = int(settings.port)
    return Client(host, port)
