@dataclass
class OptimizerConfig:
    lr: float = 1e-3
    use_muon: bool = False
    beta: float = 0.9
    eps: float = 1e-8
