class PackingScheduler:
    def schedule(self, samples):
        return legacy(samples)


def wrap(iterator):
    return iter(iterator)
