@dataclass
class Point:
    x: float
    y: float
<<<<<<< ours
    z: float
||||||| base
=======
    weight: float
>>>>>>> theirs
