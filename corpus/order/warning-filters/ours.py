import warnings


def quiet():
    warnings.filterwarnings("ignore", message="dock")
    warnings.filterwarnings("error", category=FutureWarning)
