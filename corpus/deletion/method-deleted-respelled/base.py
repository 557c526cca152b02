class Berth:
    def __str__(self):
        return "<Berth {!r} at {}>".format(self.name, self.pier)

    def free(self):
        return self.ship is None
