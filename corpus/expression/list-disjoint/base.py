LAYERS = ["input", "embedding", "encoder", "decoder", "head", "loss"]
