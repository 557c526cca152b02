class Writer:
    def write_lines(self, lines):
        if lines[-1]:
            self.write(lines[-1])
<<<<<<< ours
||||||| base
        # The last line has no end of its own, so nothing
        # is written below it.
=======
        # The last line needs no end of its own, so nothing
        # is written below it.
>>>>>>> theirs

    def flush(self):
        self.stream.flush()
        # The last line has no end of its own, so nothing
        # is written below it.

    def close(self):
        self.stream.close()
