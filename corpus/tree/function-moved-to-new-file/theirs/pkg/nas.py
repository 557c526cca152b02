def use_grouped(config):
    return config.grouped


def get_stack_spec(config):
    spec = default_spec()
    spec.experts = "te_grouped" if use_grouped(config) else "sequential"
    return spec


def export(config, path):
    path.write_text(str(get_stack_spec(config)))
