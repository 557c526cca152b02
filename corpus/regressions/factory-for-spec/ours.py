def set_expert_layout(provider, grouped):
    provider.moe_grouped_gemm = grouped
    provider.hybrid_stack_spec = grouped_stack_spec if grouped else sequential_stack_spec
    provider.finalize()
