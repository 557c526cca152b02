from vers import Version

__version__ = Version("harbour", 19, 10, 0)
