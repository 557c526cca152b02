def update(self, path):
    if self.folder:
        # Keep a copy before the branch is changed back.
        self.copy(path, self.revision)
        if self.branch:
            self.branch.checkout()
    self.release(path)
    self.save()
