class Env:
<<<<<<< ours
    def __init__(self, app: "App"):
||||||| base
    def __init__(self, app: "App" = None):
=======
    def __init__(self, app: "App | None" = None):
>>>>>>> theirs
        self.app = app
