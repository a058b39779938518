"""Sharded optimizers, samplers and statistics over two processes; results as one line of JSON.

`zero` and `samples` run in torch (gloo) alike; torch has batch normalisation over processes on accelerators
only.
"""

import sys

import torch
import torch.distributed as dist
from told import tell
from torch import nn
from torch.distributed.algorithms.join import Join
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def deep():
    return nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 3))


def steps(ddp, optimizer, count, seed):
    generator = torch.Generator().manual_seed(seed + dist.get_rank())
    schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
    losses = []
    for _ in range(count):
        optimizer.zero_grad()
        loss = ddp(torch.randn(4, 6, generator=generator)).pow(2).mean()
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return losses


def zero():
    torch.manual_seed(0)
    net = deep()
    ddp = DistributedDataParallel(net)
    groups = [{"params": [*net[0].parameters()], "lr": 0.02}, {"params": [*net[2:].parameters()]}]
    optimizer = ZeroRedundancyOptimizer(groups, torch.optim.AdamW, lr=0.01, weight_decay=0.1)
    losses = steps(ddp, optimizer, 4, 1)
    own = [tuple(p.shape) for group in optimizer.optim.param_groups for p in group["params"]]
    optimizer.consolidate_state_dict(to=1)
    kept = [None, None]
    if dist.get_rank() == 1:
        state = optimizer.state_dict()
        kept = [sorted(state["state"]), state["state"][2]["exp_avg"].sum().item()]
    sent = [optimizer.state_dict() if dist.get_rank() == 1 else None]
    dist.broadcast_object_list(sent, 1)
    again = ZeroRedundancyOptimizer(
        [{"params": [*net[0].parameters()]}, {"params": [*net[2:].parameters()]}], torch.optim.AdamW, lr=1.0
    )
    again.load_state_dict(sent[0])
    losses += steps(ddp, again, 3, 2)
    with Join([ddp, again]):
        steps(ddp, again, 2 + 2 * dist.get_rank(), 3)
    return [losses, own, kept, [p.sum().item() for p in net.parameters()], again.param_groups[0]["lr"]]


def samples():
    data = TensorDataset(torch.arange(23))
    found = []
    for shuffle in (False, True):
        for drop in (False, True):
            sampler = DistributedSampler(data, shuffle=shuffle, drop_last=drop, seed=3)
            sampler.set_epoch(2)
            loader = DataLoader(data, 5, sampler=sampler)
            found.append([[batch.tolist() for (batch,) in loader], len(sampler), len(loader)])
    return found


def statistics():
    """Whether batch normalisation over processes is that of one process with the whole batch."""
    torch.manual_seed(0)
    found = {}
    for kind, shape, sizes in (
        (nn.BatchNorm1d, (7, 3), (4, 3)), (nn.BatchNorm2d, (5, 3, 4, 4), (1, 4)),
        (nn.BatchNorm1d, (4, 3, 5), (4, 0)),
    ):  # fmt: skip
        alone = nn.Sequential(nn.Linear(shape[-1], shape[-1]), kind(3, momentum=0.3)).double()
        shared = nn.SyncBatchNorm.convert_sync_batchnorm(
            nn.Sequential(nn.Linear(shape[-1], shape[-1]), kind(3, momentum=0.3)).double()
        )
        shared.load_state_dict(alone.state_dict())
        ddp = DistributedDataParallel(shared)
        start = sizes[0] * dist.get_rank()
        mine = slice(start, start + sizes[dist.get_rank()])
        differences = []
        for _ in range(2):
            whole = torch.randn(shape, dtype=torch.float64).requires_grad_()
            part = whole[mine].detach().clone().requires_grad_()
            weights = torch.randn(shape, dtype=torch.float64)
            expected, out = alone(whole), ddp(part)
            (expected * weights).sum().backward()
            # the mean over processes of the sums of two
            (out * weights[mine]).sum().mul(2).backward()
            differences.append((out - expected[mine]).abs().sum())
            differences.append((part.grad / 2 - whole.grad[mine]).abs().sum())
        pairs = zip(alone.parameters(), shared.parameters())
        differences += [(p.grad - q.grad).abs().max() for p, q in pairs]
        differences += [(p - q).abs().max() for p, q in zip(alone.buffers(), shared.buffers())]
        differences.append((alone.eval()(whole) - shared.eval()(whole)).abs().max())
        found[str(shape)] = max(float(d.detach()) for d in differences)
    return found


def main():
    dist.init_process_group("gloo")
    results = {"zero": zero(), "samples": samples()}
    if "statistics" in sys.argv:
        results["statistics"] = statistics()
    tell(dist.get_rank(), results)


if __name__ == "__main__":
    main()
