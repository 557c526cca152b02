def device(config):
    return "cuda" if config.use_gpu and cuda_available() else config.fallback
