"""Run one pass over a `DataLoader`: in this process, or with workers that prefetch.

Libraries run a pass over objects of their own, which have the attributes of torch's loaders.
"""

from __future__ import annotations

import atexit
import copy
import itertools
import multiprocessing
import os
import queue
import weakref
from contextlib import suppress
from pickle import PicklingError
from typing import TYPE_CHECKING, Any

from ...array import dtypes
from ...core.warn import warn
from ...tensor.creation import empty
from . import worker
from .worker import Ended, Failure, Fetcher, Resume

if TYPE_CHECKING:
    from .dataloader import DataLoader

#: Seconds between looks at whether the workers are still there, and that they have to end in.
PATIENCE = 5.0


def _fetched(loader: DataLoader[Any]) -> tuple[Any, bool, bool, Any, bool]:
    """Return the parts that a `Fetcher` is made of."""
    iterable = bool(loader._dataset_kind)
    return loader.dataset, iterable, loader._auto_collation, loader.collate_fn, loader.drop_last


class NoWorkers(RuntimeError):
    """Say that the platform refuses worker processes; hold the seed that the pass has drawn."""

    def __init__(self, why: str, base_seed: int) -> None:
        super().__init__(why)
        self.base_seed = base_seed


class LoaderIterator:
    """Share the order of indices and the count of what was given among both kinds of pass."""

    def __init__(self, loader: DataLoader[Any], base_seed: int | None = None) -> None:
        # A copy: a loader with persistent workers holds its pass, and a cycle would keep the processes alive.
        self._loader = copy.copy(loader)
        if loader.pin_memory:
            warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
                "won't be used."
            )
        # One draw from the default stream (or the loader's) per pass, as in torch; workers are seeded by it.
        if base_seed is None:
            base_seed = int(empty((), dtype=dtypes.int64).random_(generator=loader.generator).item())
        self._base_seed = base_seed
        self._begin(loader._IterableDataset_len_called)

    def _begin(self, expected: int | None) -> None:
        self._indices = iter(self._loader._index_sampler)
        self._expected = expected
        self._given = 0

    def __iter__(self) -> LoaderIterator:
        return self

    def __next__(self) -> Any:
        data = self._next_data()
        self._given += 1
        if self._expected is not None and self._given > self._expected:
            text = (
                f"Length of IterableDataset {self._loader.dataset} was reported to be {self._expected}"
                f"(when accessing len(dataloader)), but {self._given} samples have been fetched. "
            )
            if self._loader.num_workers > 0:
                text += (
                    "For multiprocessing data-loading, this could be caused by not properly configuring the "
                    "IterableDataset replica at each worker. Please see "
                    "https://pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset for examples."
                )
            warn(text)
        return data

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self._loader._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)


class HereIterator(LoaderIterator):
    """A pass in this process: the loader asks for no workers, or the platform refused them."""

    def __init__(self, loader: DataLoader[Any], refused: NoWorkers | None = None) -> None:
        super().__init__(loader, None if refused is None else refused.base_seed)
        if loader.timeout != 0 and refused is None:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        self._fetcher = Fetcher(*_fetched(loader))

    def _next_data(self) -> Any:
        return self._fetcher.fetch(next(self._indices))


#: Passes whose workers may still run.
_open: weakref.WeakSet[WorkersIterator] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """End the workers of passes that the program left unfinished, while there still are modules to do it."""
    for unfinished in list(_open):
        unfinished.close()


class WorkersIterator(LoaderIterator):
    """A pass with worker processes.

    Batch k goes to worker k mod n; `prefetch_factor` batches per worker are under way. They are given in
    order, unless the loader says otherwise.
    """

    _closed = True

    def __init__(self, loader: DataLoader[Any]) -> None:
        super().__init__(loader)
        context = loader.multiprocessing_context or multiprocessing.get_context()
        try:
            self._results = context.Queue()
            self._stop = context.Event()
        except (ImportError, OSError, NotImplementedError) as error:
            raise NoWorkers(str(error), self._base_seed) from error
        #: Where each worker's tasks are written. Pipes, not queues: a queue's thread ends before `close` when
        #: the collector frees a pass, and the worker would wait for its end in vain.
        self._pipes: list[Any] = []
        self._workers: list[Any] = []
        self._closed = False
        _open.add(self)
        for number in range(loader.num_workers):
            tasks, pipe = context.Pipe(duplex=False)
            process = context.Process(
                target=worker.run,
                args=(
                    _fetched(loader), tasks, self._results, self._stop, self._base_seed,
                    loader.worker_init_fn, number, loader.num_workers,
                ),
                daemon=True,
            )  # fmt: skip
            try:
                process.start()
            except (ImportError, OSError, NotImplementedError) as error:
                self.close()
                raise NoWorkers(str(error), self._base_seed) from error
            except (TypeError, AttributeError, PicklingError) as error:
                if context.get_start_method() == "fork" and not hasattr(os, "fork"):
                    self.close()
                    raise NoWorkers(str(error), self._base_seed) from error
                warn(
                    "Got pickle error when attempting to start a worker Process. This might be because the "
                    "worker Process arguments are not picklable. Python 3.14+ changed the multiprocessing "
                    "start method in non-Mac POSIX platforms to 'forkserver', which requires the worker "
                    "Process arguments to be picklable. You can also try "
                    "multiprocessing.set_start_method('fork')."
                )
                raise
            tasks.close()
            self._pipes.append(pipe)
            self._workers.append(process)
        self._schedule()

    def restart(self, expected: int | None) -> None:
        """Begin another pass with the same workers; `expected` is what `len` said of an iterable dataset."""
        # Batches of the last pass may still come: they are dropped until every worker has begun anew.
        self._begin(expected)
        resumed = Resume()
        for pipe in self._pipes:
            pipe.send(resumed)
        waiting = len(self._workers)
        self._active = [True] * len(self._workers)
        while waiting:
            number, _ = self._receive()
            waiting -= isinstance(number, Resume)
        self._schedule()

    def _schedule(self) -> None:
        self._sent = 0
        self._wanted = 0
        self._active = [True] * len(self._workers)
        #: By number of a task: the worker that has it.
        self._holders: dict[int, int] = {}
        #: Batches that came before their turn.
        self._early: dict[int, Any] = {}
        self._turns = itertools.cycle(range(len(self._workers)))
        for _ in range(self._loader.prefetch_factor * len(self._workers)):  # type: ignore[operator]  # set with workers
            self._send()

    def _send(self) -> None:
        if not any(self._active):
            return
        try:
            index = next(self._indices)
        except StopIteration:
            return
        holder = next(turn for turn in self._turns if self._active[turn])
        self._pipes[holder].send((self._sent, index))
        self._holders[self._sent] = holder
        self._sent += 1

    def _receive(self) -> tuple[Any, Any]:
        timeout = self._loader.timeout
        while True:
            try:
                return self._results.get(timeout=timeout or PATIENCE)
            except queue.Empty:
                lost = [
                    process
                    for process, active in zip(self._workers, self._active, strict=True)
                    if active and not process.is_alive()
                ]
                if lost:
                    pids = ", ".join(str(process.pid) for process in lost)
                    self.close()
                    raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly") from None
                if timeout:
                    raise RuntimeError(f"DataLoader timed out after {timeout} seconds") from None

    def _next_data(self) -> Any:
        while True:
            # A worker at the end of its dataset answers none of the tasks it still has.
            while self._wanted < self._sent and self._wanted not in self._early:
                if (holder := self._holders.get(self._wanted)) is not None and self._active[holder]:
                    break
                self._holders.pop(self._wanted, None)
                self._wanted += 1
            if self._wanted in self._early:
                data = self._early.pop(self._wanted)
                self._wanted += 1
                return self._given_out(data)
            if self._wanted >= self._sent:
                if not self._loader.persistent_workers:
                    self.close()
                raise StopIteration
            number, data = self._receive()
            if isinstance(data, Ended):
                self._active[data.worker] = False
                if not self._loader.persistent_workers:
                    self._pipes[data.worker].send(None)
                self._send()
                continue
            self._holders.pop(number, None)
            if number == self._wanted:
                self._wanted += 1
                return self._given_out(data)
            if not self._loader.in_order:
                return self._given_out(data)
            self._early[number] = data

    def _given_out(self, data: Any) -> Any:
        self._send()
        if isinstance(data, Failure):
            data.reraise()
        return data

    def close(self) -> None:
        """End the workers; none outlives this call."""
        if self._closed:
            return
        self._closed = True
        self._stop.set()
        for pipe in self._pipes:
            with suppress(OSError):  # a worker that has ended reads no more
                pipe.send(None)
        for process in self._workers:
            process.join(timeout=PATIENCE)
            if process.is_alive():
                process.terminate()
                process.join(timeout=PATIENCE)
        for pipe in self._pipes:
            pipe.close()
        self._results.cancel_join_thread()
        self._results.close()

    _shutdown_workers = close

    def __del__(self) -> None:
        self.close()
