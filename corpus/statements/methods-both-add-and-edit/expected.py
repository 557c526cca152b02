class Account:
    def __init__(self, owner):
        self.owner = owner
        self.balance = Decimal(0)

    def __repr__(self):
        return f"Account({self.owner!r})"

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
