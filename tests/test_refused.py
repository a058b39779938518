"""Where a platform refuses threads, forks or processes, as a browser's Python does, work is done serially."""

from __future__ import annotations

import multiprocessing
import multiprocessing.context
import os
import subprocess
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

import pullback as torch
from pullback.array import threads
from pullback.utils.data import DataLoader, IterableDataset, get_worker_info
from tests.security.attacks import program


def refuse(error: BaseException) -> Any:
    def refused(*_: Any, **__: Any) -> Any:
        raise error

    return refused


@pytest.fixture
def four_threads() -> Iterator[None]:
    before = threads.get_num_threads()
    threads.set_num_threads(4)
    yield
    threads.set_num_threads(before)


def no_threads(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(threads, "_workers", [])
    patch.setattr(threading.Thread, "start", refuse(RuntimeError("can't start new thread")))


def train() -> list[float]:
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(16 * 900, 10)
    )
    x = torch.randn(16, 3, 32, 32, requires_grad=True)
    model(x).softmax(1).square().sum().backward()
    large = torch.randn(1_500_000)
    numbers = [x.grad, *(p.grad for p in model.parameters()), large.exp(), large.sort()[0], large.cumsum(0)]
    return [float(n.double().square().sum()) for n in numbers]


def test_large_kernels_and_autograd_run_on_one_thread(
    four_threads: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    side_by_side = train()
    no_threads(monkeypatch)
    ran: list[tuple[int, int]] = []
    threads.run_parts(lambda part: ran.append((part, threading.get_ident())), 5)
    assert ran == [(part, threading.get_ident()) for part in range(5)]
    assert train() == side_by_side
    assert threads._workers == []


@pytest.mark.skipif(find_spec("llvmlite") is None, reason="llvmlite compiles")
def test_functions_compile_without_threads_and_processes(
    four_threads: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pullback.compiler.runtime import helper_processes

    no_threads(monkeypatch)
    monkeypatch.setenv("PULLBACK_COMPILE_PROCESSES", "2")
    monkeypatch.setenv("PULLBACK_CACHE", "0")
    x = torch.randn(600_000)

    def f(x: torch.Tensor) -> torch.Tensor:
        return (x.tanh() * 2).reshape(-1, 100).sum(1)

    with helper_processes.at_work():
        helper_processes.summon(2)
        helpers = helper_processes._current
        assert helpers is not None
        assert len(helpers) == 0
        torch.testing.assert_close(torch.compile(f, fullgraph=True)(x), f(x))


#: The threads of native code are the system's own; a process that has none yet asks for them in vain.
WITHOUT_THREADS = """
import pullback as torch
from pullback.compiler.runtime import thread_pool
torch.set_num_threads(4)
thread_pool.Pool._start = lambda _: False
x = torch.randn(600_000)
f = lambda x: (x.tanh() * 2).reshape(-1, 100).sum(1)
torch.testing.assert_close(torch.compile(f, fullgraph=True)(x), f(x))
assert getattr(thread_pool.pool(), "_started", 0) == 0
"""


@pytest.mark.skipif(find_spec("llvmlite") is None, reason="llvmlite compiles")
def test_native_code_runs_without_threads() -> None:
    program("-c", WITHOUT_THREADS)


@pytest.mark.skipif(find_spec("llvmlite") is None, reason="llvmlite compiles")
def test_functions_compile_where_programs_cannot_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    from pullback.compiler.runtime import helper_processes

    monkeypatch.setenv("PULLBACK_COMPILE_PROCESSES", "2")
    monkeypatch.setenv("PULLBACK_CACHE", "0")
    monkeypatch.setattr(subprocess, "Popen", refuse(OSError("emscripten does not support processes.")))
    x = torch.randn(50)
    with helper_processes.at_work():
        helper_processes.summon(2)
        compiled = torch.compile(lambda x: x.sin().cos() + 3, fullgraph=True)
        torch.testing.assert_close(compiled(x), x.sin().cos() + 3)


class Numbers(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        yield from range(6) if info is None else range(info.id, 6, info.num_workers)


def no_queues(patch: pytest.MonkeyPatch) -> None:
    error = ImportError("This platform lacks a functioning sem_open implementation")
    patch.setattr(multiprocessing.context.BaseContext, "Queue", refuse(error))


def no_processes(patch: pytest.MonkeyPatch) -> None:
    error = BlockingIOError("Resource temporarily unavailable")
    patch.setattr(multiprocessing.context.ForkProcess, "start", refuse(error))


def no_fork(patch: pytest.MonkeyPatch) -> None:
    patch.delattr(os, "fork")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork to take away")
@pytest.mark.parametrize("refusing", [no_queues, no_processes, no_fork])
def test_loaders_make_batches_in_this_process(refusing: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = torch.arange(10)

    def loaded(workers: int) -> Any:
        torch.manual_seed(0)
        options: dict[str, Any] = {}
        if workers:
            options = {"timeout": 30, "persistent_workers": True, "multiprocessing_context": "fork"}
        loader = DataLoader(data, batch_size=3, shuffle=True, num_workers=workers, **options)
        passes = [[batch.tolist() for batch in loader] for _ in range(2)]
        return passes, torch.rand(1).item()

    here = loaded(0)
    refusing(monkeypatch)
    with pytest.warns(UserWarning, match="DataLoader: this platform gives no worker processes"):
        assert loaded(2) == here
    loader = DataLoader(Numbers(), num_workers=2, batch_size=2, multiprocessing_context="fork")
    with pytest.warns(UserWarning, match="batches are made in this process"):
        assert [batch.tolist() for batch in loader] == [[0, 1], [2, 3], [4, 5]]
