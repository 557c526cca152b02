class Box:
    def area(self):
        return self.width() * self.height()

    def width(self):
        return self.right - self.left

    def height(self):
        return self.bottom - self.top
