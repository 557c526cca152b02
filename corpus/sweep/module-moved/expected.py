def build(config):
    model = networks.Encoder(config)
    head = networks.Head(config, bias=False)
    return networks.Chain(model, head)


def load(path):
    return networks.restore(path)
