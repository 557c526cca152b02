class Berth:
    def free(self):
        return self.ship is None
