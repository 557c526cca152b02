"""The budget of a run."""


class Budget(Base):
    def parse(self, text):
        return int(text)

    def cast(self, value, unit=1):
        return value * unit

    def round(self, value):
        return round(value)

    def store(self, token):
        self.token = token
        return token
