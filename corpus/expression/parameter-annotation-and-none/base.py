class Env:
    def __init__(self, app: "App" = None):
        self.app = app
