def connect(host):
<<<<<<< ours
    sock = socket.create_connection((host, PORT))
    sock.settimeout(None)
||||||| base
    if sys.version_info < (3, 9):
        sock = legacy_socket(host)
        sock.setblocking(True)
    else:
        sock = socket.create_connection((host, PORT))
        sock.settimeout(None)
=======
    if sys.version_info < (3, 9):
        sock = legacy_socket(host, PORT)
        sock.setblocking(True)
    else:
        sock = socket.create_connection((host, PORT))
        sock.settimeout(None)
>>>>>>> theirs
    return Connection(sock)
