"""Run a worker process of a `DataLoader`: takes indices, gives batches, until told to end.

A worker leaves by itself when its parent is gone. An exception goes to the parent with its traceback.
"""

from __future__ import annotations

import multiprocessing
import random
import traceback
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import Any

import numpy as np

from ...tensor.random import manual_seed
from ...tensor.settings import set_num_threads
from .collate import default_collate, is_as_it_was
from .dataset import items_at, stacked_rows


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """Describe a worker: see `get_worker_info`."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


_info: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return in a worker its number, how many there are, its seed and copy of the dataset; elsewhere None."""
    return _info


class Failure:
    """An exception on its way from a worker to the parent."""

    def __init__(self, error: BaseException, worker: int) -> None:
        self.kind = type(error)
        self.text = "".join(traceback.format_exception(error))
        self.worker = worker

    def reraise(self) -> None:
        """Raise an exception of the same class whose text has the worker's traceback."""
        text = (
            f"Caught {self.kind.__name__} in DataLoader worker process {self.worker}.\nOriginal {self.text}"
        )
        try:
            error: BaseException = self.kind(_Verbatim(text) if self.kind is KeyError else text)
        except Exception:  # noqa: BLE001  # a class with arguments of its own: say it with another
            error = RuntimeError(text)
        try:
            raise error from None
        finally:
            # The traceback holds this frame: with the name here the pass would live until the collector runs.
            del error


class _Verbatim(str):
    """A text that KeyError, which shows its argument's repr, shows as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True)
class Ended:
    """A worker's copy of an iterable dataset is at its end."""

    worker: int


@dataclass(frozen=True)
class Resume:
    """Begin anew with the dataset; the answer is the same object."""


class Fetcher:
    """Read samples and put them together: of an index, or of a list of them where the loader is `batched`.

    Of an `iterable` dataset, which is read in order, a last batch that is not full may be dropped.
    """

    def __init__(self, dataset: Any, iterable: bool, batched: bool, collate: Any, drop_last: bool) -> None:
        self.dataset = dataset
        self.samples = iter(dataset) if iterable else None
        self.batched = batched
        self.collate = collate
        self.drop_last = drop_last
        self.ended = False

    def fetch(self, index: Any) -> Any:
        """Return the batch (or sample) at an index; StopIteration at the end of an iterable dataset."""
        if self.samples is not None:
            return self.collate(self._next(index))
        if not self.batched:
            return self.collate(self.dataset[index])
        if self.collate is default_collate and is_as_it_was():
            rows = stacked_rows(self.dataset, index)
            if rows is not None:
                return rows
        return self.collate(items_at(self.dataset, index))

    def _next(self, index: Any) -> Any:
        assert self.samples is not None, "only iterable datasets are read in order"
        if self.ended:
            raise StopIteration
        if not self.batched:
            return next(self.samples)
        batch = []
        for _ in index:
            try:
                batch.append(next(self.samples))
            except StopIteration:
                self.ended = True
                break
        if not batch or (self.drop_last and len(batch) < len(index)):
            raise StopIteration
        return batch


def seed_everything(base_seed: int, worker: int) -> None:
    """Seed Python, this package and NumPy in a worker as torch does."""
    random.seed(base_seed + worker)
    manual_seed(base_seed + worker)
    np.random.seed(numpy_seed(base_seed, worker))


def numpy_seed(base_seed: int, worker: int) -> list[int]:
    """Return the four words with which torch seeds NumPy in a worker."""
    entropy = [worker, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return np.random.SeedSequence(entropy).generate_state(4).tolist()


def run(
    options: tuple[Any, bool, bool, Any, bool], indices: Any, results: Any, stop: Any, base_seed: int,
    init: Any, worker: int, count: int,
) -> None:  # fmt: skip
    """Serve until told to end: `options` are the `Fetcher`'s."""
    global _info
    try:
        set_num_threads(1)
        seed_everything(base_seed, worker)
        _info = WorkerInfo(worker, count, base_seed + worker, options[0])
        fetcher, failure = _begin(options, init, worker)
        _serve(options, indices, results, stop, worker, fetcher, failure)
    except KeyboardInterrupt:
        # The parent gets the same signal and ends; a second traceback would hide its own.
        stop.set()
    if stop.is_set():
        results.cancel_join_thread()
        results.close()


def _begin(options: Any, init: Any, worker: int) -> tuple[Fetcher | None, Failure | None]:
    try:
        if init is not None:
            init(worker)
        return Fetcher(*options), None
    except Exception as error:  # noqa: BLE001  # the parent raises it
        return None, Failure(error, worker)


def _serve(
    options: Any, indices: Any, results: Any, stop: Any, worker: int, fetcher: Fetcher | None,
    failure: Failure | None,
) -> None:  # fmt: skip
    parent = multiprocessing.parent_process()
    assert parent is not None, "a worker has a parent"
    ended = False
    while indices in wait([indices, parent.sentinel]):
        if (task := indices.recv()) is None:
            return
        if isinstance(task, Resume):
            ended = False
            fetcher = Fetcher(*options)
            results.put((task, None))
            continue
        if stop.is_set() or ended:
            continue
        number, index = task
        answer: Any
        if fetcher is None or failure is not None:
            answer, failure = failure, None
        else:
            try:
                answer = fetcher.fetch(index)
            except StopIteration as error:
                ended = fetcher.samples is not None
                answer = Ended(worker) if ended else Failure(error, worker)
            except Exception as error:  # noqa: BLE001  # the parent raises it
                answer = Failure(error, worker)
        results.put((number, answer))
