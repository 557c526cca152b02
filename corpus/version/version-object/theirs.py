from vers import Version

__version__ = Version("harbour", 20, 3, 0, dev=0)
