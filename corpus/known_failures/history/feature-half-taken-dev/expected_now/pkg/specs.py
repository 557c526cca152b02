from pkg import te


def mlp_spec(config):
    module = te.MLP
    if config.fused:
<<<<<<< ours
        module = te.FusedDenseMLP if config.dense_grouped else te.FusedMLP
||||||| base
        module = te.FusedMLP
=======
        module = te.FusedMLP.as_submodule()
>>>>>>> theirs
    return module
