class Writer:
    def write_lines(self, lines):
        if lines[-1]:
            self.write(lines[-1])

    def flush(self):
        self.stream.flush()
        # The last line has no end of its own, so nothing
        # is written below it.

    def close(self):
        self.stream.close()
