"""torch.distributed.algorithms._checkpoint: parts of a model that are computed again in backward."""
