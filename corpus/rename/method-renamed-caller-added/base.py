class Manager:
    def mark_not_offloadable(self, tensor):
        tensor.offload = False

    def run(self, tensors):
        for tensor in tensors:
            self.step(tensor)
