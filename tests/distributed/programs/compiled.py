"""Compiled steps of data parallel training beside eager ones, in two processes."""

import warnings

import torch
import torch.distributed as dist
from told import tell
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel


def deep():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.BatchNorm1d(16), nn.Linear(16, 4))


def losses(compile_what, wrap=DistributedDataParallel):
    """Losses and the sum of all parameters after some steps; how often gradients were reduced."""
    ddp = wrap(deep())
    optimizer = torch.optim.AdamW(ddp.parameters(), lr=0.01)
    called = torch.compile(ddp) if compile_what == "module" else ddp

    def step(x):
        optimizer.zero_grad()
        loss = called(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    run = torch.compile(step) if compile_what == "step" else step
    generator = torch.Generator().manual_seed(dist.get_rank())
    found = [run(torch.randn(6, 8, generator=generator)).item() for _ in range(6)]
    if wrap is fully_shard:
        return found
    native = ddp.__dict__.get("_native")
    programs = None if native is None else len(native._call._native.specializations)
    return [found, sum(p.sum().item() for p in ddp.module.parameters()), ddp.reducer.passes, programs]


def collectives():
    """What a compiled function that exchanges tensors gives, in three calls."""
    total = torch.zeros(1)

    def exchange(x):
        y = x * 2
        dist.all_reduce(y)
        dist.all_reduce(total.add_(1))
        dist.barrier()
        return y + total

    run = torch.compile(exchange)
    return [run(torch.ones(2) * (dist.get_rank() + k)).tolist() for k in range(3)]


def main():
    dist.init_process_group("gloo")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        results = {
            "eager": losses("nothing"), "step": losses("step"), "module": losses("module"),
            "sharded": losses("nothing", fully_shard), "sharded step": losses("step", fully_shard),
            "collectives": collectives(),
        }  # fmt: skip
    results["told"] = [str(w.message) for w in told if str(w.message).startswith("compile:")]
    tell(dist.get_rank(), results)


if __name__ == "__main__":
    main()
