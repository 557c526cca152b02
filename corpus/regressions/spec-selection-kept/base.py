def get_mlp_spec(config, use_te=True):
    if use_te and config.use_fused_mlp:
        module = FusedMLP
    else:
        module = MLP
    return ModuleSpec(module=module, submodules=MLPSubmodules(fc1=Column, fc2=Row))
