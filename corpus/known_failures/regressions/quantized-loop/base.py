class DistributedOptimizer:
    def _copy_params(self):
        params, shards = [], []
        for group in self.model_groups:
            for param in group:
                if is_float8tensor(param):
                    params.append(param)
                    shards.append(self.shard_of(param))
        quantize(params, shards)
