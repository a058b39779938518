"""torch.distributed.algorithms.model_averaging: parameters that processes average now and then."""
