class Depot:
    def open(self):
        return self.gate

<<<<<<< ours
    def load(self, crate):
        return crate.mass

    def shake(self, crate):
        return crate.loose
||||||| base
    def load(self, crate):
        return crate.mass
=======

class Crane:
    def load(self, crate):
        return crate.mass

    def shake(self, crate):
        return crate.loose
>>>>>>> theirs

    def unload(self, crate):
        return -crate.mass
