"""What a loader refuses, and its workers' lives."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pullback as torch
from pullback.utils.data import (
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Subset,
    TensorDataset,
    collate,
    default_collate,
    get_worker_info,
    iterators,
)

from .programs import FORKED


class Failing(Dataset[int]):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        if index == 2:
            raise KeyError("two")
        return index


class Dying(Dataset[int]):
    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> int:
        os._exit(3)


class Two(IterableDataset[int]):
    def __iter__(self) -> Any:
        return iter((1, 2))

    def __len__(self) -> int:
        return 1


def test_an_exception_in_a_worker_comes_to_the_caller_with_its_traceback() -> None:
    try:
        list(DataLoader(Failing(), num_workers=1))
    except KeyError as error:
        text = str(error)
    assert text.startswith("Caught KeyError in DataLoader worker process 0.\nOriginal Traceback")
    assert "in __getitem__" in text and "KeyError: 'two'" in text
    assert not multiprocessing.active_children()


def test_a_worker_that_dies_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(iterators, "PATIENCE", 0.1)
    with pytest.raises(RuntimeError, match=r"DataLoader worker \(pid\(s\) \d+\) exited unexpectedly"):
        list(DataLoader(Dying(), num_workers=1))
    assert not multiprocessing.active_children()


def test_a_pass_left_in_the_middle_leaves_no_process() -> None:
    batches = iter(DataLoader(torch.arange(100), num_workers=2))
    assert next(batches).tolist() == [0]
    del batches
    assert not multiprocessing.active_children()


def test_no_worker_outlives_a_parent_that_is_killed() -> None:
    program = """
import os, signal, sys
sys.path[:0] = sys.argv[1:]
import pullback as torch
batches = iter(torch.utils.data.DataLoader(torch.arange(100), num_workers=2))
next(batches)
os.kill(os.getpid(), signal.SIGKILL)
"""
    end, inherited = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, pullback_path())], pass_fds=[inherited]
    )
    os.close(inherited)
    assert process.wait() == -signal.SIGKILL
    # The pipe is at its end when nobody has the other side any more: neither parent nor workers.
    ready, _, _ = select.select([end], [], [], 60)
    assert ready and os.read(end, 1) == b""
    os.close(end)


def test_ctrl_c_leaves_no_process() -> None:
    program = """
import sys
sys.path[:0] = sys.argv[1:]
import pullback as torch
batches = iter(torch.utils.data.DataLoader(torch.arange(10**6), num_workers=2, persistent_workers=True))
next(batches)
print("running", flush=True)
for _ in batches:
    pass
"""
    end, inherited = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, pullback_path())], pass_fds=[inherited],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    os.close(inherited)
    assert process.stdout is not None and process.stdout.readline() == "running\n"
    # A terminal sends it to the whole group, workers included.
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0 and "KeyboardInterrupt" in errors
    ready, _, _ = select.select([end], [], [], 60)
    assert ready and os.read(end, 1) == b""
    os.close(end)


def pullback_path() -> list[Path]:
    return [Path(torch.__file__).parent.parent]


def test_a_failing_init_function_is_raised() -> None:
    def init(worker: int) -> None:
        raise ValueError(f"no {worker}")

    with pytest.raises(ValueError, match="no 0"):
        list(DataLoader(torch.arange(3), num_workers=1, worker_init_fn=init, **FORKED))


def test_more_samples_than_said_are_worth_a_warning() -> None:
    loader = DataLoader(Two())
    assert len(loader) == 1
    with pytest.warns(UserWarning, match="was reported to be 1"):
        assert len(list(loader)) == 2


def test_here_there_is_no_worker() -> None:
    assert get_worker_info() is None


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative; use num_workers=0 to disable"),
        ({"timeout": -1}, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified in multiprocessing"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"shuffle": True, "sampler": range(2)}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_sampler": [[0]], "batch_size": 2}, "batch_sampler option is mutually exclusive with"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option disables auto-batching"),
        ({"batch_size": 0}, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"multiprocessing_context": "fork"}, "multiprocessing_context can only be used with multi-process"),
        ({"multiprocessing_context": "x", "num_workers": 1}, "should specify a valid start method in"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError) as caught:
        DataLoader(TensorDataset(torch.arange(4)), **options)
    assert text in str(caught.value)


def test_what_is_fixed_may_not_be_set() -> None:
    loader = DataLoader(torch.arange(4))
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader is"):
        loader.batch_size = 3


def test_samples_of_different_shapes() -> None:
    with pytest.raises(RuntimeError, match="each element in list of batch should be of equal size"):
        list(DataLoader([[1, 2], [3]], batch_size=2))
    with pytest.raises(TypeError, match="default_collate: batch must contain tensors, numpy arrays"):
        list(DataLoader([object(), object()], batch_size=2))


def test_what_collates_can_be_told_to_workers() -> None:
    table = collate.default_collate_fn_map
    assert pickle.loads(pickle.dumps(table)) == table


def test_a_sampler_for_endless_training_draws_as_it_is_asked() -> None:
    sampler = RandomSampler(range(5), replacement=True, num_samples=10**15)
    loader = DataLoader(torch.arange(5), batch_size=4, sampler=sampler)
    assert len(loader) == 10**15 // 4
    assert next(iter(loader)).shape == (4,)


def test_a_limit_of_time_needs_workers() -> None:
    loader = DataLoader([1, 2], timeout=3)
    with pytest.raises(AssertionError, match="_SingleProcessDataLoaderIter requires timeout == 0"):
        iter(loader)


def test_an_unfinished_pass_ends_quietly_with_the_program() -> None:
    program = """
import sys, warnings
sys.path[:0] = sys.argv[1:]
from pullback.utils.data import DataLoader
# A module of Python's is taken down after those that workers need to be ended.
warnings.kept = iter(DataLoader(range(100), num_workers=2))
print(next(warnings.kept))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, pullback_path())],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("tensor([0])\n", "")


def test_rows_of_tensors_are_what_their_items_make(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, turned = torch.rand(6, 2, 3), torch.arange(6), torch.rand(6, 2, 3).transpose(1, 2)
    whole = TensorDataset(x, y, turned, torch.zeros(6, 0))
    for dataset in (whole, Subset(whole, [4, -1, 0, 2])):
        loader = DataLoader(dataset, batch_sampler=[[0, 3], [-1, 2, 2]])
        for batch, places in zip(loader, [[0, 3], [-1, 2, 2]], strict=True):
            known = default_collate([dataset[i] for i in places])
            assert type(batch) is list
            for found, wanted in zip(batch, known, strict=True):
                assert torch.equal(found, wanted)
                assert (found.stride(), found.dtype) == (wanted.stride(), wanted.dtype)
        with pytest.raises(IndexError):
            next(iter(DataLoader(dataset, batch_sampler=[[9]])))
    assert next(iter(DataLoader(TensorDataset(x.requires_grad_()))))[0].grad_fn is not None
    monkeypatch.setitem(collate.default_collate_fn_map, tuple, lambda batch, **_: len(batch))
    assert list(DataLoader(whole, batch_size=4)) == [4, 2]
