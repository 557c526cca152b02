@dataclass
class Point:
    x: float
    y: float
    weight: float
