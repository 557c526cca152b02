def connect(host):
    sock = socket.create_connection((host, PORT), timeout=TIMEOUT)
    sock.settimeout(None)
    return Connection(sock)
