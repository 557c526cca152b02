def close(self):
    # Flush first: close drops the buffer.
    self.flush()
    self.stream.close()  # idempotent
