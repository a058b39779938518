"""torch.utils.data.distributed: the part of a dataset that one of several processes works on."""

from collections.abc import Iterator
from typing import Any

from ...core.process_group import needed_group
from ...tensor.random import Generator, randperm
from .sampler import Sampler


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th index of a dataset, from index `rank` on.

    All processes get equally many: indices from the beginning are given out again at the end, or the last
    ones are left out.

    Parameters
    ----------
    dataset : Sized
    num_replicas, rank : int, optional
        How many processes there are and which one this is; by default what the group of processes says.
    shuffle : bool
        Whether the indices are permuted first, by a generator seeded with ``seed + epoch``.
    seed : int
        The same in all processes.
    drop_last : bool
        Whether to leave out what cannot be given out evenly, rather than to repeat.
    """

    def __init__(
        self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True,
        seed: int = 0, drop_last: bool = False,
    ) -> None:  # fmt: skip
        num_replicas = needed_group().size() if num_replicas is None else num_replicas
        rank = needed_group().rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.num_replicas = num_replicas
        self.rank = rank
        self.dataset = dataset
        self.epoch = 0
        self.drop_last = drop_last
        count = len(dataset)
        self.num_samples = count // num_replicas if drop_last else -(-count // num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            generator = Generator().manual_seed(self.seed + self.epoch)
            indices = randperm(count, generator=generator).tolist()
        else:
            indices = list(range(count))
        mine = range(self.rank, self.total_size, self.num_replicas)
        return iter([indices[i % count] for i in mine])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Say which pass comes next, so that it has a permutation of its own."""
        self.epoch = epoch


DistributedSampler.__module__ = "torch.utils.data.distributed"

__all__ = ["DistributedSampler"]
