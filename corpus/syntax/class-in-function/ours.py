def make():
    class Local:
        size = 2

        def grow(self):
            self.size += 1

    return Local()
