from torch.distributed import (
    all_gather,
    all_reduce,
    reduce_scatter,
)

COLLECTIVES = (all_gather, all_reduce)
