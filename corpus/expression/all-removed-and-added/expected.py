__all__ = [
    "set_expert_layout",
    "use_grouped_gemm",
]
