class Conn:
    def __init__(self, sock):
        self.sock = sock

    def send(self, data):
        self.sock.sendall(data)


def connect(address):
    return Conn(create_connection(address))
