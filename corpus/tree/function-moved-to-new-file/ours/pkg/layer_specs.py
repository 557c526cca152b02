from pkg.nas import use_grouped


def get_stack_spec(config):
    spec = default_spec()
    spec.experts = "grouped" if use_grouped(config) else "sequential"
    return spec
