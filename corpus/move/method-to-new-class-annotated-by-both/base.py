class Dock:
    def fill(self):
        return 1

    def find(self, ship, crew):
        return ship
