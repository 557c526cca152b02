LAYERS = ["tokens", "embedding", "encoder", "decoder", "head"]
