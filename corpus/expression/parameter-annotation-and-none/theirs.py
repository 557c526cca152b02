class Env:
    def __init__(self, app: "App | None" = None):
        self.app = app
