class Manager:
    def mark_not_offloadable(self, tensor):
        tensor.offload = False

    def run(self, tensors):
        for tensor in tensors:
            self.mark_not_offloadable(tensor)
            self.step(tensor)
