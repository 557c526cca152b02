class Dock:
    def fill(self):
        return 1

    def find(self, ship: Boat, crew):
        return ship
