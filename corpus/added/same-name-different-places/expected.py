class Box:
<<<<<<< ours
    def area(self):
        return self.width() * self.height()

||||||| base
=======
    def area(self):
        return abs(self.width() * self.height())

>>>>>>> theirs
    def width(self):
        return self.right - self.left

    def height(self):
        return self.bottom - self.top
