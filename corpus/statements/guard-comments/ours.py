class Queue:
    def pop(self):
        # An empty queue blocks.
        self.not_empty.wait()
        item = self.items.pop()
        return item
