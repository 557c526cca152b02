<<<<<<< ours
DEFAULT_GATEWAY = "10.0.0.2"
||||||| base
DEFAULT_GATEWAY = "10.0.0.1"
=======
DEFAULT_GATEWAY = "10.0.1.1"
>>>>>>> theirs
