from torch.distributed import all_gather, all_reduce, broadcast

COLLECTIVES = (all_gather, all_reduce)
