from megatron.core.transformer import (
    MegatronModule,
    ModuleSpec,
    TransformerConfig,
    TransformerLayer,
)


def build(config: TransformerConfig) -> MegatronModule:
    return MegatronModule(config)
