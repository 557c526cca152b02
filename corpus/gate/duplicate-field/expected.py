@dataclass
class OptimizerConfig:
    lr: float = 1e-3
<<<<<<< ours
    use_muon: bool = False
||||||| base
=======
    use_muon: bool = True
>>>>>>> theirs
    beta: float = 0.9
    eps: float = 1e-8
