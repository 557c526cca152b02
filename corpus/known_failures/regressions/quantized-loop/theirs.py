class DistributedOptimizer:
    def _copy_params(self):
        params, shards, offsets = [], [], []
        for group in self.model_groups:
            for param in group:
                if is_float8tensor(param) or is_nvfp4tensor(param):
                    params.append(param)
                    shards.append(self.shard_of(param))
                    offsets.append(self.offset_of(param))
        quantize(params, shards, offsets)
