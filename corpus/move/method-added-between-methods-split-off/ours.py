"""The budget of a run."""


class Budget(Base):
    def parse(self, text):
        return int(text)


class Caster:
    def cast(self, value, unit=1):
        return value * unit

    def store(self, token):
        self.token = token
        return token
