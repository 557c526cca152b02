class Settings:
<<<<<<< ours
    timeout: float = 30
||||||| base
    timeout = 30
=======
    timeout = 60
>>>>>>> theirs
    retries = 3
