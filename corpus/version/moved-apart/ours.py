__version__ = "2.5.0"
