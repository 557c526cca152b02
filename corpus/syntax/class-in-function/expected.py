def make():
    class Local:
        size = 2

        def grow(self):
            self.size *= 2

    return Local()
