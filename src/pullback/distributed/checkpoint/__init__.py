"""torch.distributed.checkpoint: states of several processes in one folder."""
