import warnings


def quiet():
    warnings.filterwarnings("ignore", message="dock")
