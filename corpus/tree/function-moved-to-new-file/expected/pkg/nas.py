from pkg.layer_specs import get_stack_spec


def use_grouped(config):
    return config.grouped


def export(config, path):
    path.write_text(str(get_stack_spec(config)))
