"""The budget of a run."""


class Budget(Base):
    def parse(self, text):
        return int(text)

<<<<<<< ours

class Caster:
    def cast(self, value, unit=1):
        return value * unit
||||||| base
    def cast(self, value, unit=1):
        return value * unit
=======
    def cast(self, value, unit=1):
        return value * unit

    def round(self, value):
        return round(value)
>>>>>>> theirs

    def store(self, token):
        self.token = token
        return token
