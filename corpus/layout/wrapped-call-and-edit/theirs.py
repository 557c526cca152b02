def make(config):
    return Trainer(config.model, config.data, seed=config.seed, precision=config.precision, callbacks=[Progress(), Checkpoint()])
