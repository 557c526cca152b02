from megatron.core.transformer import (
    MegatronModule,
    TransformerConfig,
    TransformerLayer,
)


def build(config: TransformerConfig) -> MegatronModule:
    return MegatronModule(config)
