def update(self, path):
    try:
        if self.revision:
            path.revision = self.revision
        if self.folder:
            # Keep a copy before the branch is changed back.
            self.copy(path, path.revision)
            if self.branch:
                self.branch.checkout()
    finally:
        self.release(path)
    self.save()
