"""Trains small modules in two processes in many ways and prints what came of each, as one line of JSON.

Runs in torch (gloo) and in pullback alike: `tests/distributed/test_data_parallel.py` compares the lines.
"""

import pickle

import torch
import torch.distributed as dist
import torch.nn.functional as F
from told import tell
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks import DDPCommHookType, default_hooks, register_ddp_comm_hook
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import (
    PostLocalSGDState,
    post_localSGD_hook,
)
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel
from torch.utils.checkpoint import checkpoint


class Branches(nn.Module):
    """Two layers of which the second is used only where it is asked for, and one that never is."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 6)
        self.second = nn.Linear(6, 6)
        self.never = nn.Linear(6, 6)

    def forward(self, x, uses_second=True):
        x = self.first(x).tanh()
        return {"out": [self.second(x) if uses_second else x]}


class Recomputed(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 6))

    def forward(self, x):
        return checkpoint(self.net, x, use_reentrant=False)


def deep():
    return nn.Sequential(nn.Linear(6, 40), nn.Tanh(), nn.Linear(40, 40), nn.Tanh(), nn.Linear(40, 6))


def trained(net, steps=5, call=lambda ddp, x, step: ddp(x), prepare=None, accumulate=1, **options):
    """Losses of this process and the parameters after some steps."""
    torch.manual_seed(1)
    ddp = DistributedDataParallel(net, **options)
    if prepare is not None:
        prepare(ddp)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1, momentum=0.9)
    generator = torch.Generator().manual_seed(10 + dist.get_rank())
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        for _ in range(accumulate - 1):
            with ddp.no_sync():
                call(ddp, torch.randn(4, 6, generator=generator), step).pow(2).mean().backward()
        loss = call(ddp, torch.randn(4, 6, generator=generator), step).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    state = [p.double().sum().item() for p in net.state_dict().values()]
    without = [name for name, p in net.named_parameters() if p.grad is None]
    return {"losses": losses, "state": state, "without": without, "buckets": buckets(ddp)}


def buckets(ddp):
    data = ddp._get_ddp_logging_data()
    names = ("bucket_sizes", "rebuilt_bucket_sizes", "rebuilt_per_bucket_param_indices")
    return [data.get(name, "") for name in names]


def seeded(make):
    torch.manual_seed(dist.get_rank())  # the processes begin with different values
    return make()


def second_in_one(ddp, x, step):
    return ddp(x, uses_second=dist.get_rank() == step % 2)["out"][0]


def never_second(ddp, x, step):
    return ddp(x, uses_second=False)["out"][0]


def power(ddp):
    state = PowerSGDState(None, matrix_approximation_rank=1, start_powerSGD_iter=2, min_compression_rate=1)
    ddp.register_comm_hook(state, powerSGD_hook)


def own_hook(ddp):
    def doubled(state, bucket):
        buffer = bucket.buffer() * 2
        future = dist.all_reduce(buffer, async_op=True).get_future()
        assert [g.shape for g in bucket.gradients()] == [p.shape for p in bucket.parameters()]
        return future.then(lambda done: done.value()[0])

    ddp.register_comm_hook(None, doubled)


def sparse():
    torch.manual_seed(2)
    ddp = DistributedDataParallel(nn.Embedding(10, 3, sparse=True))
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.5)
    for step in range(3):
        optimizer.zero_grad()
        ddp(torch.tensor([dist.get_rank(), 4, step])).pow(2).sum().backward()
        optimizer.step()
    return [ddp.module.weight.sum().item(), ddp.module.weight.grad.is_sparse]


def uneven(**options):
    torch.manual_seed(3)
    ddp = DistributedDataParallel(nn.Linear(2, 1))
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    with ddp.join(**options):
        for step in range(3 + 2 * dist.get_rank()):
            optimizer.zero_grad()
            ddp(torch.ones(2, 2) * (step + 1)).pow(2).mean().backward()
            optimizer.step()
    return [p.sum().item() for p in ddp.parameters()]


def error(function):
    try:
        function()
    except Exception as raised:  # noqa: BLE001  # its type and text are printed
        return [type(raised).__name__, str(raised)]
    return None


def unused_in_loss(**options):
    ddp = DistributedDataParallel(Branches(), **options)
    x = torch.ones(1, 6)
    ddp(x)["out"][0].sum().backward()
    ddp(x)


def changed_graph():
    ddp = DistributedDataParallel(nn.ModuleList([nn.Linear(6, 6), nn.Linear(6, 6)]), static_graph=True)
    ddp.module.forward = lambda x, both: ddp.module[1](ddp.module[0](x)) if both else ddp.module[0](x)
    x = torch.ones(1, 6)
    for both in (True, False, True):
        ddp(x, both).sum().backward()


def twice():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.other = nn.Linear(6, 6)
            self.layer = nn.Linear(6, 6)

        def forward(self, x):
            x = self.other(x)
            return checkpoint(self.layer, checkpoint(self.layer, x, use_reentrant=True), use_reentrant=True)

    DistributedDataParallel(Twice())(torch.ones(1, 6)).sum().backward()


def pickled():
    ddp = DistributedDataParallel(nn.Linear(2, 2), forward_sync_buffers=False)
    again = pickle.loads(pickle.dumps(ddp))
    again(torch.ones(1, 2) * (1 + dist.get_rank())).sum().backward()
    return [list(again.state_dict()), again.module.weight.grad.tolist(), again.broadcast_buffers]


def views():
    ddp = DistributedDataParallel(nn.Linear(3, 2), gradient_as_bucket_view=True)
    ddp(torch.ones(1, 3)).sum().backward()
    before = ddp.module.weight.grad
    ddp.zero_grad(set_to_none=False)
    ddp(torch.ones(1, 3)).sum().backward()
    return [before is ddp.module.weight.grad, before.tolist(), error(before.detach_)]


def beside_one_process():
    """The largest difference from one process that has the whole batch, over 50 steps."""
    torch.manual_seed(4)
    net, alone = deep(), deep()
    alone.load_state_dict(net.state_dict())
    inputs, labels = torch.randn(32, 6), torch.randint(0, 6, (32,))
    ddp = DistributedDataParallel(net, bucket_cap_mb=0.004)
    mine = slice(16 * dist.get_rank(), 16 * dist.get_rank() + 16)
    optimizers = [torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9) for m in (net, alone)]
    for _ in range(50):
        for optimizer in optimizers:
            optimizer.zero_grad()
        F.cross_entropy(ddp(inputs[mine]), labels[mine]).backward()
        F.cross_entropy(alone(inputs), labels).backward()
        for optimizer in optimizers:
            optimizer.step()
    pairs = zip(net.parameters(), alone.parameters())
    return max((p - q).abs().max().item() for p, q in pairs) < 1e-6


def main():
    dist.init_process_group("gloo")
    normed = lambda: nn.Sequential(nn.Linear(6, 6), nn.BatchNorm1d(6), nn.Linear(6, 6))
    results = {
        "equals one process": beside_one_process(),
        "plain": trained(seeded(deep)),
        "buckets": trained(seeded(deep), bucket_cap_mb=0.002),
        "listed buckets": trained(seeded(deep), bucket_cap_mb_list=[0.0005, 0.001, 0.01]),
        "accumulated": trained(seeded(deep), accumulate=3),
        "views": trained(seeded(deep), gradient_as_bucket_view=True, accumulate=2),
        "unused": trained(seeded(Branches), call=second_in_one, find_unused_parameters=True),
        "unused everywhere": trained(seeded(Branches), call=never_second, find_unused_parameters=True),
        "static": trained(seeded(Branches), call=never_second, static_graph=True),
        "static views": trained(seeded(deep), static_graph=True, gradient_as_bucket_view=True),
        "recomputed": trained(seeded(Recomputed)),
        "buffers": trained(seeded(normed)),
        "local buffers": trained(seeded(normed), forward_sync_buffers=False),
        "allreduce hook": trained(
            seeded(deep), prepare=lambda ddp: ddp.register_comm_hook(None, default_hooks.allreduce_hook)
        ),
        "local hook": trained(
            seeded(deep),
            prepare=lambda ddp: ddp.register_comm_hook(
                PostLocalSGDState(None, dist.group.WORLD, 1), post_localSGD_hook
            ),
        ),
        "half hook": trained(
            seeded(deep), prepare=lambda ddp: register_ddp_comm_hook(DDPCommHookType.FP16_COMPRESS, ddp)
        ),
        "own hook": trained(seeded(deep), prepare=own_hook, bucket_cap_mb=0.002),
        "power": trained(seeded(deep), prepare=power),
        "sparse": sparse(),
        "uneven": uneven(),
        "uneven by active": uneven(divide_by_initial_world_size=False),
        "pickled": pickled(),
        "bucket views": views(),
        "early end": error(lambda: uneven(throw_on_early_termination=True)),
        "unused error": error(lambda: unused_in_loss()),
        "changed graph": error(changed_graph),
        "twice": error(twice),
    }
    tell(dist.get_rank(), results)
    dist.barrier()
    # the last: torch's processes do not go on after it
    shapes = error(lambda: DistributedDataParallel(nn.Linear(2, 2 + dist.get_rank())))
    if dist.get_rank() == 1:
        tell(2, shapes)


if __name__ == "__main__":
    main()
