class UserService:
    def __init__(self, db):
        self.db = db

    def user(self, key):
        return self.db.get("user", key)
<<<<<<< ours
||||||| base

    def order(self, key):
        return self.db.get("order", key)
=======

    def order(self, key):
        return self.db.get("order", key, lock=True)
>>>>>>> theirs


class OrderService:
    def __init__(self, db):
        self.db = db

    def order(self, key):
        return self.db.get("order", key)
