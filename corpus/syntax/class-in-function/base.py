def make():
    class Local:
        size = 1

        def grow(self):
            self.size += 1

    return Local()
