<<<<<<< ours
__version__ = "3.1.0+"
||||||| base
__version__ = "3.0.2"
=======
__version__ = "3.1.0"
>>>>>>> theirs
