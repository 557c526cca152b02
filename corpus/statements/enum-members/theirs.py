class Color(Enum):
    RED = auto()
    GREEN = auto()
    CYAN = auto()
