__version__ = "24.2.dev0"
