import warnings


def quiet():
    warnings.filterwarnings("ignore", message="dock")
<<<<<<< ours
    warnings.filterwarnings("error", category=FutureWarning)
||||||| base
=======
    warnings.filterwarnings("ignore", message="ship")
>>>>>>> theirs
