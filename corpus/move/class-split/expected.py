class UserService:
    def __init__(self, db):
        self.db = db

    def user(self, key):
        return self.db.get("user", key)


class OrderService:
    def __init__(self, db):
        self.db = db

    def order(self, key):
        return self.db.get("order", key, lock=True)
