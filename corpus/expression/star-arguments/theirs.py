def make_optimizer(params, config):
    return AdamW(params, lr=config.lr, **config.optimizer_kwargs)
