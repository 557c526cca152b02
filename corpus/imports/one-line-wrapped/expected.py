from torch.distributed import (
    all_gather,
    all_reduce,
    broadcast,
    reduce_scatter,
)

COLLECTIVES = (all_gather, all_reduce)
