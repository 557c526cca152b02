class Sensor:
    @property
    def level(self):
        return round(self._level, 2)

    @level.setter
    def level(self, value):
        self._level = value
