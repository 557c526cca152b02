def make(config):
    return Trainer(
        config.model,
        config.data,
        seed=config.seed,
        callbacks=[Progress(), Checkpoint()],
    )
