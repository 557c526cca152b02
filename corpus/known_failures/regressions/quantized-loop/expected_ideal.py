def _is_quantized_param(param):
    """Whether the optimizer treats the parameter as quantized, grouped or not."""
    return is_float8tensor(param) or is_grouped_tensor(param)


class DistributedOptimizer:
    def _expand_shard(self, param):
        if is_grouped_tensor(param):
            return [(part, self.shard_of(part)) for part in param.parts]
        return [(param, self.shard_of(param))]

    def _copy_params(self):
        params, shards, offsets = [], [], []
        for group in self.model_groups:
            for param in group:
<<<<<<< ours
                if _is_quantized_param(param):
                    for part, shard in self._expand_shard(param):
                        params.append(part)
                        shards.append(shard)
||||||| base
                if is_float8tensor(param):
                    params.append(param)
                    shards.append(self.shard_of(param))
=======
                if is_float8tensor(param) or is_nvfp4tensor(param):
                    params.append(param)
                    shards.append(self.shard_of(param))
                    offsets.append(self.offset_of(param))
>>>>>>> theirs
        quantize(params, shards, offsets)
