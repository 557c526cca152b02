@dataclass
class Point:
    x: float
    y: float
    z: float
