class Service:
    def __init__(self, db):
        self.db = db

    def user(self, key):
        return self.db.get("user", key)

    def order(self, key):
        return self.db.get("order", key)
