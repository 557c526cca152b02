<<<<<<< ours
__version__ = "2.5.0"
||||||| base
__version__ = "2.4.0"
=======
__version__ = "2.3.9"
>>>>>>> theirs
