class Channel:
    @staticmethod
    def encode(message):
        body = message.body.encode()
        return len(body).to_bytes(8, "big") + body

    def send(self, message):
        self.sock.sendall(self.encode(message))
