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


def losses(compile_what, wrap=DistributedDataParallel, steps=50, accumulate=False, **options):
    """Losses and the sum of all parameters after some steps; how often gradients were reduced; how many
    programs there are, and with how many exchanges.
    """
    ddp = wrap(deep(), **options)
    optimizer = torch.optim.AdamW(ddp.parameters(), lr=0.01)
    called = torch.compile(ddp) if compile_what == "module" else ddp

    def step(x):
        optimizer.zero_grad()
        if accumulate:
            with ddp.no_sync():
                called(x + 1).pow(2).mean().backward()
        loss = called(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    run = torch.compile(step) if compile_what == "step" else step
    generator = torch.Generator().manual_seed(dist.get_rank())
    found = [run(torch.randn(6, 8, generator=generator)).item() for _ in range(steps)]
    if wrap is fully_shard:
        return found
    native = ddp.__dict__.get("_native")
    kept = (native._call if native is not None else run).__dict__.get("_native")
    programs = [] if kept is None else [s.captured.program.equations for s in kept.specializations]
    begun = [sum(e.op in ("exchange", "begin_exchange") for e in program) for program in programs]
    return [found, sum(p.sum().item() for p in ddp.module.parameters()), ddp.reducer.passes, begun]


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


def in_order():
    """What a compiled function gives whose exchanges are alike, or read by nobody, in two calls."""

    def exchange(x):
        unread = x * 3
        dist.all_reduce(unread)
        first, second = x.clone(), x.clone()
        dist.all_reduce(first)
        dist.all_reduce(second)
        dist.broadcast(x, 1)
        dist.all_reduce(first, dist.ReduceOp.MAX)
        return first, second

    run = torch.compile(exchange)
    found = []
    for k in range(2):
        x = torch.ones(2) * (dist.get_rank() + k)
        found.append([part.tolist() for part in (*run(x), x)])
    (program,) = [s.captured.program for s in run._native.specializations]
    return [found, sum(e.op == "exchange" for e in program.equations), run._native.eager_because]


def one_compiled():
    """Losses where one process has compiled its step and the other has not."""
    return losses("step" if dist.get_rank() else "nothing", steps=8)[:2]


def main():
    dist.init_process_group("gloo")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        results = {
            "eager": losses("nothing"), "step": losses("step"),
            "small buckets": losses("step", bucket_cap_mb=0.0002),
            "accumulated": losses("nothing", accumulate=True),
            "accumulated step": losses("step", accumulate=True),
            "one compiled": one_compiled(),
            "hook": losses("step", gradient_as_bucket_view=True),
            "module": losses("module", steps=6),
            "sharded": losses("nothing", fully_shard, 6), "sharded step": losses("step", fully_shard, 6),
            "collectives": collectives(), "in order": in_order(),
        }  # fmt: skip
    results["told"] = [str(w.message) for w in told if str(w.message).startswith("compile:")]
    tell(dist.get_rank(), results)


if __name__ == "__main__":
    main()
