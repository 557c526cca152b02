def make():
    class Local:
        size = 1

        def grow(self):
            self.size *= 2

    return Local()
