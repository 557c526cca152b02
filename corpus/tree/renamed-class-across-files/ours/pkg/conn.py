class Connection:
    def send(self, data):
        return self.sock.sendall(data)
