"""Programs with data loaders that run under torch (to record) and under pullback (to compare)."""

from __future__ import annotations

import collections
import os
from typing import Any

import numpy as np

Pair = collections.namedtuple("Pair", "a b")
#: Workers that need nothing pickled: CPython 3.14 forks no longer where it is not asked to.
FORKED: Any = {"multiprocessing_context": "fork"} if hasattr(os, "fork") else {}


def plain(value: Any) -> Any:
    """Tensors as dtype, shape and numbers; containers by class name."""
    if hasattr(value, "detach"):
        return [str(value.dtype), list(value.shape), value.tolist()]
    if isinstance(value, dict):
        return {"dict": {str(k): plain(v) for k, v in value.items()}}
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [plain(v) for v in value]}
    return value


def _batches(loader: Any) -> list[Any]:
    return [plain(batch) for batch in loader]


def _two_passes(loader: Any) -> list[Any]:
    return [_batches(loader), _batches(loader)]


def _part_of_pass(sampler: Any) -> list[Any]:
    sampler.set_epoch(2)
    return [len(sampler), sampler.total_size, list(sampler)]


def make_programs(torch: Any) -> dict[str, Any]:
    """By name: a program that returns what can be recorded. Each begins with seed 3."""
    data = torch.utils.data
    x = torch.arange(10)

    class Counting(data.IterableDataset):  # type: ignore[misc, name-defined]  # a base known at run time only
        def __iter__(self) -> Any:
            info = data.get_worker_info()
            first, step = (0, 1) if info is None else (info.id, info.num_workers)
            return iter(range(first, 7, step))

    class Drawing(data.Dataset):  # type: ignore[misc, name-defined]  # as above
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> Any:
            info = data.get_worker_info()
            number = -1 if info is None else info.id
            return index, number, float(torch.rand(())), float(np.random.rand())

    tensors = data.TensorDataset(x, x * 2.0)
    samples = [{"a": 1, "b": [1.5, "x"], "c": (np.arange(2), np.float32(2)), "d": Pair(1, True)}] * 2
    return {
        "plain": lambda: _batches(data.DataLoader(tensors, 4)),
        "shuffled twice": lambda: _two_passes(data.DataLoader(x, 3, shuffle=True)),
        "shuffled by a generator": lambda: _batches(
            data.DataLoader(x, 3, True, generator=torch.Generator().manual_seed(5), drop_last=True)
        ),
        "afterwards": lambda: [_batches(data.DataLoader(x, 5, shuffle=True)), plain(torch.rand(3))],
        "with replacement": lambda: list(data.RandomSampler(range(9), True, 40)),
        "more than there are": lambda: list(data.RandomSampler(range(4), num_samples=10)),
        "weighted": lambda: list(data.WeightedRandomSampler([0.1, 0.2, 3.0], 8)),
        "weighted without replacement": lambda: list(data.WeightedRandomSampler([0.1, 0.2, 3], 2, False)),
        "subset at random": lambda: list(data.SubsetRandomSampler([4, 7, 9, 1])),
        "batches of a sampler": lambda: list(data.BatchSampler(data.SequentialSampler(range(7)), 3, True)),
        "parts of processes": lambda: [
            list(data.DistributedSampler(range(7), 3, rank, drop_last=drop))
            for drop in (False, True)
            for rank in range(3)
        ],
        "parts in order": lambda: [
            list(data.distributed.DistributedSampler(range(2), 5, rank, shuffle=False)) for rank in range(5)
        ],
        "parts of a later pass": lambda: _part_of_pass(data.DistributedSampler(range(9), 2, 1, seed=4)),
        "split": lambda: [s.indices for s in data.random_split(range(10), [3, 7])],
        "split by fractions": lambda: [s.indices for s in data.random_split(range(11), [0.5, 0.3, 0.2])],
        "collated": lambda: plain(data.default_collate(samples)),
        "converted": lambda: plain(data.default_convert(samples[0])),
        "single samples": lambda: _batches(data.DataLoader(tensors, None)),
        "in order": lambda: _batches(data.DataLoader(Counting(), 3)),
        "concatenated": lambda: _batches(data.DataLoader(tensors + tensors, 7)),
        "stacked": lambda: _batches(data.DataLoader(data.StackDataset(a=range(3), b=x[:3]), 2)),
        "chained": lambda: list(Counting() + Counting()),
        "subset": lambda: _batches(data.DataLoader(data.Subset(tensors, [3, 1, 4]), 2)),
        "two workers": lambda: _batches(data.DataLoader(tensors, 3, shuffle=True, num_workers=2)),
        "two workers in order": lambda: _batches(data.DataLoader(Counting(), 2, num_workers=2, **FORKED)),
        "draws of workers": lambda: _batches(data.DataLoader(Drawing(), 2, num_workers=2, **FORKED)),
        "persistent workers": lambda: _two_passes(
            data.DataLoader(x, 4, True, num_workers=1, persistent_workers=True)
        ),
    }  # fmt: skip


def results(torch: Any) -> dict[str, Any]:
    """What each program returns."""
    record = {}
    for name, program in make_programs(torch).items():
        torch.manual_seed(3)
        record[name] = program()
    return record
