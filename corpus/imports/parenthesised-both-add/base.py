from megatron.core.transformer import (
    MegatronModule,
    TransformerConfig,
)


def build(config: TransformerConfig) -> MegatronModule:
    return MegatronModule(config)
