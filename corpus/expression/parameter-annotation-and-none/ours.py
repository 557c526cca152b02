class Env:
    def __init__(self, app: "App"):
        self.app = app
