def set_expert_layout(provider, grouped):
    provider.use_grouped_gemm = grouped
    provider.hybrid_stack_spec = get_hybrid_stack_spec(grouped)
    provider.finalize()
