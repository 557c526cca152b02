def build_dispatcher(config, group):
    return HybridDispatcher(
        group=group,
        hidden_size=config.hidden_size,
        num_experts=config.num_experts,
        capacity_factor=config.capacity_factor,
    )
