class Connection:
    def __init__(self, sock):
        self.sock = sock

    def send(self, data):
        self.sock.sendall(data)

    def close(self):
        self.sock.close()


def connect(address):
    return Connection(create_connection(address))
