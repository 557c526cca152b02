class Scheduler:
    def flush(self):
        for handler in self.handlers:
            handler.group_offload(self.stream)
