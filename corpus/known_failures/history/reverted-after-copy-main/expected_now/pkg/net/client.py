import socket
import time


class Client:
    retries = 3
    timeout = 10.0

    def __init__(self, host, port):
        self.host = host
        self.port = port

    def connect(self):
<<<<<<< ours
        sock = socket.create_connection((self.host, self.port), timeout=self.timeout)
||||||| base
        sock = socket.create_connection((self.host, self.port))
=======
        sock = socket.create_connection((self.ipv4(), self.port))
>>>>>>> theirs
        return sock

    def ipv4(self):
        return socket.gethostbyname(self.host)

    def fetch(self, key):
        sock = self.connect()
        sock.sendall(key.encode())
        return sock.recv(4096)

    def close(self):
        self.sock.close()
