"""torch.distributed.algorithms.join: processes with fewer inputs than others."""

from ...nn.parallel.join import Join, Joinable, JoinHook

__all__ = ["Join", "JoinHook", "Joinable"]
