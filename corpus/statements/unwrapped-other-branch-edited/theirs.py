def connect(host):
    if sys.version_info < (3, 9):
        sock = legacy_socket(host, PORT)
        sock.setblocking(True)
    else:
        sock = socket.create_connection((host, PORT))
        sock.settimeout(None)
    return Connection(sock)
