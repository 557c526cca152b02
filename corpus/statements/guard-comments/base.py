class Queue:
    def pop(self):
        item = self.items.pop()
        return item
