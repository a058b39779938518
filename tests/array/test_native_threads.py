"""The pool of native threads: every part of a job is run once, whoever comes."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest

import pullback as torch

pytest.importorskip("llvmlite")

from pullback.compiler.runtime.thread_pool import pool

_Part = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
_Run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


@pytest.fixture(autouse=True)
def _own_number_of_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)
    pool().prepare()


def run(parts: int, do: Callable[[int], None]) -> None:
    """Have the pool run ``do(part)`` for all parts."""
    part = _Part(lambda _, number: do(number))
    _Run(pool().address)(ctypes.cast(part, ctypes.c_void_p), None, parts)


@pytest.mark.parametrize("threads", [1, 2, 5, 16])
@pytest.mark.parametrize("parts", [0, 1, 2, 3, 7, 50, 300])
def test_every_part_is_run_once(threads: int, parts: int) -> None:
    torch.set_num_threads(threads)
    pool().prepare()
    for _ in range(3):
        done: list[int] = []
        run(parts, done.append)
        assert sorted(done) == list(range(parts))


def test_more_threads_than_the_pool_has_places_for() -> None:
    torch.set_num_threads(1000)
    pool().prepare()
    done: list[int] = []
    run(1500, done.append)
    assert sorted(done) == list(range(1500))


@pytest.mark.skipif(not hasattr(os, "register_at_fork"), reason="the pool has no threads")
def test_sleeping_threads_are_woken() -> None:
    torch.set_num_threads(6)
    pool().prepare()
    for _ in range(5):
        time.sleep(0.02)  # beyond the time for which they look for work
        meet(6)


def meet(threads: int) -> None:
    """Have so many threads wait for each other."""
    met, arrived = threading.Barrier(threads, timeout=30), []
    run(threads, lambda _: arrived.append(met.wait()))
    assert sorted(arrived) == list(range(threads))


def test_a_second_caller_runs_its_parts_alone() -> None:
    torch.set_num_threads(3)
    pool().prepare()
    done: list[int] = []
    run(3, lambda _: run(4, done.append))
    assert sorted(done) == sorted([*range(4)] * 3)
