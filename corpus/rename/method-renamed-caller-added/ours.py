class Manager:
    def mark_not_offload(self, tensor):
        tensor.offload = False

    def run(self, tensors):
        for tensor in tensors:
            self.step(tensor)
