from pkg.layer_specs import get_stack_spec


def use_grouped(config):
    return config.grouped
<<<<<<< ours
||||||| base


def get_stack_spec(config):
    spec = default_spec()
    spec.experts = "grouped" if use_grouped(config) else "sequential"
    return spec
=======


def get_stack_spec(config):
    spec = default_spec()
    spec.experts = "te_grouped" if use_grouped(config) else "sequential"
    return spec
>>>>>>> theirs


def export(config, path):
    path.write_text(str(get_stack_spec(config)))
