@dataclass
class OptimizerConfig:
    lr: float = 1e-3
    beta: float = 0.9
    eps: float = 1e-8
    use_muon: bool = True
