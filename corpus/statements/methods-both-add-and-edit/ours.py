class Account:
    def __init__(self, owner):
        self.owner = owner
        self.balance = 0

    def __repr__(self):
        return f"Account({self.owner!r})"

    def deposit(self, amount):
        self.balance += amount
