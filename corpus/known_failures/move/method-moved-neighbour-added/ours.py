class Cart:
    def add(self, item):
        self.items.append(item)

    def clear(self):
        self.items.clear()

    def total(self):
        return sum(item.price for item in self.items)
