__version__ = "24.1"
