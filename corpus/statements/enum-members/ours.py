class Color(Enum):
    RED = auto()
    GREEN = auto()
    BLUE = auto()
