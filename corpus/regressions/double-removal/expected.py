class Offloader:
    def bulk_offload_group(self):
        group = self.groups.pop()
        self.copy(group)
        return group

    def bulk_offload(self):
        group = self.bulk_offload_group()
        self.groups.remove(group)
        self.done.append(group)
