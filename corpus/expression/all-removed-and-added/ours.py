__all__ = [
    "set_expert_layout",
]
