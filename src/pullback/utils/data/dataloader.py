"""Define `DataLoader`: batches from a dataset, in an order, with or without worker processes."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any, Generic, TypeVar, cast

from ...core.warn import warn
from .collate import default_collate, default_convert
from .dataset import Indexed, IterableDataset
from .iterators import HereIterator, LoaderIterator, NoWorkers, WorkersIterator
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler
from .worker import get_worker_info  # noqa: F401  # torch has it here too

T_co = TypeVar("T_co", covariant=True)

#: Types by which libraries annotate what a loader takes.
_collate_fn_t = Callable[[list[Any]], Any]
_worker_init_fn_t = Callable[[int], None]

#: What may not change once a loader is made.
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class _DatasetKind:
    """Say whether samples have places, or come in an order of their own."""

    Map = 0
    Iterable = 1


class _InfiniteConstantSampler(Sampler[None]):
    """The indices of an iterable dataset: none."""

    def __iter__(self) -> Iterator[None]:
        while True:
            yield None


class DataLoader(Generic[T_co]):
    """Iterate over batches of a dataset.

    Parameters
    ----------
    dataset : Dataset
    batch_size : int or None
        Samples per batch; None gives single samples, converted but not stacked.
    shuffle : bool, optional
        A new permutation in every pass.
    sampler, batch_sampler : iterable, optional
        The order of indices, or of lists of indices.
    num_workers : int
        Processes that load; 0 loads here.
    collate_fn : callable, optional
        Makes a batch of a list of samples; by default `default_collate`.
    pin_memory : bool
        Accepted; there is no accelerator to pin for.
    drop_last : bool
        Leave out a last batch that is not full.
    timeout : float
        Seconds to wait for a batch of the workers; 0 waits as long as it takes.
    worker_init_fn : callable, optional
        Called in each worker with its number, after seeding.
    multiprocessing_context : str or context, optional
        How processes are started.
    generator : Generator, optional
        Draws the permutations and the workers' seed.
    prefetch_factor : int, optional
        Batches that each worker loads ahead; 2 by default.
    persistent_workers : bool
        Keep the workers from pass to pass.
    in_order : bool
        Give batches in order even where a later one is there earlier.
    """

    _made = False

    def __init__(
        self, dataset: Indexed[T_co], batch_size: int | None = 1, shuffle: bool | None = None,
        sampler: Any = None, batch_sampler: Iterable[Any] | None = None,
        num_workers: int = 0, collate_fn: _collate_fn_t | None = None, pin_memory: bool = False,
        drop_last: bool = False, timeout: float = 0, worker_init_fn: _worker_init_fn_t | None = None,
        multiprocessing_context: Any = None, generator: Any = None, *, prefetch_factor: int | None = None,
        persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True,
    ) -> None:  # fmt: skip
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset: Any = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        iterable = isinstance(dataset, IterableDataset)
        self._dataset_kind = _DatasetKind.Iterable if iterable else _DatasetKind.Map
        if iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and "
                    "drop_last"
                )
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            if iterable:
                sampler = _InfiniteConstantSampler()
            else:
                sized = cast("Sized", dataset)
                sampler = RandomSampler(sized, generator=generator) if shuffle else SequentialSampler(sized)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        #: What `len` said of an iterable dataset; more samples than that are worth a warning.
        self._IterableDataset_len_called: int | None = None
        self._iterator: WorkersIterator | None = None
        self.check_worker_number_rationality()
        self._made = True

    def __setattr__(self, name: str, value: Any) -> None:
        if self._made and name in _FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def multiprocessing_context(self) -> Any:
        """Return how processes are started; None for the platform's default."""
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None and self.num_workers == 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but "
                f"got num_workers={self.num_workers}"
            )
        if isinstance(context, str):
            if context not in (known := multiprocessing.get_all_start_methods()):
                raise ValueError(
                    "multiprocessing_context option should specify a valid start method in "
                    f"{known!r}, but got multiprocessing_context={context!r}"
                )
            context = multiprocessing.get_context(context)
        if context is not None and not isinstance(context, multiprocessing.context.BaseContext):
            raise TypeError(
                "multiprocessing_context option should be a valid context object or a string specifying the "
                f"start method, but got multiprocessing_context={context}"
            )
        self._context = context

    @property
    def _index_sampler(self) -> Any:
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    def __iter__(self) -> LoaderIterator:
        if self.num_workers == 0:
            return HereIterator(self)
        if self._iterator is not None and not self._iterator._closed:
            self._iterator.restart(self._IterableDataset_len_called)
            return self._iterator
        try:
            workers = WorkersIterator(self)
        except NoWorkers as refused:
            warn(
                f"DataLoader: this platform gives no worker processes ({refused}); batches are made in this "
                "process"
            )
            return HereIterator(self, refused)
        if self.persistent_workers:
            self._iterator = workers
        return workers

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn of more workers than processors."""
        affinity = getattr(os, "sched_getaffinity", None)
        most = len(affinity(0)) if affinity is not None else os.cpu_count()
        if self.num_workers and (most is None or self.num_workers > most):
            suggestion = (
                "DataLoader is not able to compute a suggested max number of worker in current system."
                if most is None
                else f"Our suggested max number of worker in current system is {most}"
                f"{'' if affinity is not None else ' (`cpuset` is not taken into account)'}, which is "
                "smaller than what this DataLoader is going to create."
            )
            warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. {suggestion} "
                "Please be aware that excessive worker creation might get DataLoader running slow or even "
                "freeze, lower the worker number to avoid potential slowness/freeze if necessary."
            )


def _check_workers(count: int, timeout: float, prefetch: int | None, persistent: bool) -> None:
    if count < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
        )
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if count == 0 and prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to enable "
            "multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch is not None and prefetch < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and count == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def _check_iterable(shuffle: bool | None, sampler: Any, batch_sampler: Any) -> None:
    if shuffle not in (False, None):
        raise ValueError(
            f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
        )
    for name, value in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )


#: torch's names, which libraries ask for.
_BaseDataLoaderIter = LoaderIterator
_SingleProcessDataLoaderIter = HereIterator
_MultiProcessingDataLoaderIter = WorkersIterator
