"""torch.nn.parallel where there is no accelerator."""

from __future__ import annotations

from typing import Any

from . import attempt

T = Any


def data_parallel(torch: T) -> None:
    nn = torch.nn
    layer = nn.Linear(2, 2)
    wrapped = nn.DataParallel(layer, device_ids=[0])
    print(wrapped, wrapped.device_ids, list(wrapped.state_dict()), wrapped.module is layer)
    print(torch.equal(wrapped(torch.ones(1, 2)), layer(torch.ones(1, 2))))
    attempt(lambda: nn.parallel.data_parallel(layer, torch.ones(1, 2)))
    attempt(lambda: nn.parallel.parallel_apply([layer], [torch.ones(1, 2)]))
    attempt(lambda: nn.parallel.parallel_apply([layer, layer], [torch.ones(1, 2)]))
    attempt(lambda: nn.parallel.replicate(layer, [0]))
    attempt(lambda: nn.parallel.gather([torch.ones(2, 2)], 0))
    attempt(lambda: nn.parallel.DistributedDataParallel(layer))
    print(isinstance(layer, nn.parallel.distributed.DistributedDataParallel))


def replicas(torch: T) -> None:
    layer = torch.nn.Linear(2, 2)
    twin = layer._replicate_for_data_parallel()
    print(type(twin), list(twin.parameters()), twin.in_features)
    twin.zero_grad()
    attempt(lambda: torch.nn.LazyLinear(2)._replicate_for_data_parallel())
