def build_dispatcher(config, group):
    return HybridDispatcher(
        group=group,
        num_sms_preprocessing=config.num_sms_preprocessing,
        hidden_size=config.hidden_size,
        num_experts=config.num_experts,
    )
