class Sensor:
    @property
    def level(self):
        return self._level

    @level.setter
    def level(self, value):
        self._level = value

    def reset(self):
        self.level = 0
