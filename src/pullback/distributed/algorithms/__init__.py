"""torch.distributed.algorithms: how gradients are reduced, and processes that have fewer inputs."""
