def build(config):
    model = networks.Encoder(config)
    head = networks.Head(config)
    return networks.Chain(model, head)


def load(path):
    return networks.restore(path)
