def device(config):
    return "cuda" if config.use_gpu else config.fallback
