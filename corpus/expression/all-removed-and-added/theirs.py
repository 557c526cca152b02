__all__ = [
    "get_hybrid_stack_spec",
    "set_expert_layout",
    "use_grouped_gemm",
]
