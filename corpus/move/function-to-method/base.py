def encode(message):
    body = message.body.encode()
    return len(body).to_bytes(4, "big") + body


class Channel:
    def send(self, message):
        self.sock.sendall(encode(message))
