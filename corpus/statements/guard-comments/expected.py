class Queue:
    def pop(self):
<<<<<<< ours
        # An empty queue blocks.
        self.not_empty.wait()
||||||| base
=======
        # Closed queues give nothing.
        if self.closed:
            return None
>>>>>>> theirs
        item = self.items.pop()
        return item
