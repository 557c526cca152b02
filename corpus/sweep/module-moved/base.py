def build(config):
    model = nets.Encoder(config)
    head = nets.Head(config)
    return nets.Chain(model, head)


def load(path):
    return nets.restore(path)
