class Scheduler:
    def flush(self):
        for handler in self.handlers:
<<<<<<< ours
            handler.group_commit(self.stream)
||||||| base
            handler.group_offload(self.stream)
=======
            handler.group_offload(self.stream, blocking=False)
>>>>>>> theirs
