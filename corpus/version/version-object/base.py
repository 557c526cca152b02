from vers import Version

__version__ = Version("harbour", 19, 7, 0, dev=0)
