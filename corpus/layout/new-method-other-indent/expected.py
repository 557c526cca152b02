class Stack:
    def push(self, item):
        self.items.append(item)

    def pop(self):
        return self.items.pop()
