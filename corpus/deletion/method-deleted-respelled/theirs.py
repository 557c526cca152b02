class Berth:
    def __str__(self):
        return f"<Berth {self.name!r} at {self.pier}>"

    def free(self):
        return self.ship is None
