class Scheduler:
    def flush(self):
        for handler in self.handlers:
            handler.group_commit(self.stream, blocking=False)
