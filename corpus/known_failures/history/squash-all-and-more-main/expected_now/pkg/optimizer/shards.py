"""Shards of quantized parameters."""

import torch


def is_quantized(param):
    return is_float8(param) or is_grouped(param)


class DistributedOptimizer:
    def copy_params(self, groups):
        """Copy the main parameters into the model's shards."""
        for group in groups:
            for param in group:
<<<<<<< ours
                if is_quantized(param):
||||||| base
                if is_float8(param):
=======
                if is_quantized(param) and param.requires_grad:
>>>>>>> theirs
                    for part in self.expand(param):
                        self.cast(part)

    def expand(self, param):
        return getattr(param, "parts", (param,))

    def cast(self, param):
        shard = self.shard_of(param)
        shard.copy_(param)

    def shard_of(self, param):
        return self.shards[param]
