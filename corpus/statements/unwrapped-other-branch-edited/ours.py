def connect(host):
    sock = socket.create_connection((host, PORT))
    sock.settimeout(None)
    return Connection(sock)
