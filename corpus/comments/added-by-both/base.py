def close(self):
    self.flush()
    self.stream.close()
