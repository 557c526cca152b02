class Depot:
    def open(self):
        return self.gate

    def load(self, crate):
        return crate.mass

    def unload(self, crate):
        return -crate.mass
