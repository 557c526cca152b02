def make_optimizer(params, config):
    return AdamW(params, lr=config.lr, weight_decay=config.weight_decay, **config.optimizer_kwargs)
