class Manager:
<<<<<<< ours
    def mark_not_offload(self, tensor):
        tensor.offload = False

    def run(self, tensors):
        for tensor in tensors:
||||||| base
    def mark_not_offloadable(self, tensor):
        tensor.offload = False

    def run(self, tensors):
        for tensor in tensors:
=======
    def mark_not_offloadable(self, tensor):
        tensor.offload = False

    def run(self, tensors):
        for tensor in tensors:
            self.mark_not_offloadable(tensor)
>>>>>>> theirs
            self.step(tensor)
