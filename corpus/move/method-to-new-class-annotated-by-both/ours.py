class Dock:
    def fill(self):
        return 1


class Crane:
    def find(self, ship: Ship, crew):
        return ship
