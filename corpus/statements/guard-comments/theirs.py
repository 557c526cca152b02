class Queue:
    def pop(self):
        # Closed queues give nothing.
        if self.closed:
            return None
        item = self.items.pop()
        return item
