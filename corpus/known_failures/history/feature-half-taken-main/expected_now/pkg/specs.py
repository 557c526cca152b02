from pkg import te


def mlp_spec(config):
    module = te.MLP
    if config.fused:
<<<<<<< ours
        module = te.FusedMLP.as_submodule()
||||||| base
        module = te.FusedMLP
=======
        module = te.FusedDenseMLP if config.dense_grouped else te.FusedMLP
>>>>>>> theirs
    return module
