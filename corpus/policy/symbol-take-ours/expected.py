class PackingScheduler:
    def schedule(self, samples):
        return balance(samples, self.groups)


def wrap(iterator):
    return iter(iterator)
