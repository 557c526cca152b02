from torch.distributed import all_gather, all_reduce

COLLECTIVES = (all_gather, all_reduce)
