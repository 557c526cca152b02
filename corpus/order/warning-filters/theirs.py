import warnings


def quiet():
    warnings.filterwarnings("ignore", message="dock")
    warnings.filterwarnings("ignore", message="ship")
