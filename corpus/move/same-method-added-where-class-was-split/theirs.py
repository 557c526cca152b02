class Depot:
    def open(self):
        return self.gate


class Crane:
    def load(self, crate):
        return crate.mass

    def shake(self, crate):
        return crate.loose

    def unload(self, crate):
        return -crate.mass
