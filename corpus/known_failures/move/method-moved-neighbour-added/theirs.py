class Cart:
    def total(self):
        return sum(item.price for item in self.items)

    def count(self):
        return len(self.items)

    def add(self, item):
        self.items.append(item)

    def clear(self):
        self.items.clear()
