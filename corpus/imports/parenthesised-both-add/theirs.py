from megatron.core.transformer import (
    MegatronModule,
    ModuleSpec,
    TransformerConfig,
)


def build(config: TransformerConfig) -> MegatronModule:
    return MegatronModule(config)
