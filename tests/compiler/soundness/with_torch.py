"""Run programs with torch and its `torch.compile(backend="eager")`, in another process: some end it."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from .programs import Program, Verdict, compare


def verdicts_of_torch(programs: Iterable[Program]) -> Iterator[Verdict]:
    """Compare each program with itself compiled; one that ends the process differs."""
    pool = _pool()
    for program in programs:
        try:
            yield pool.submit(_verdict, program).result()
        except BrokenProcessPool:
            yield Verdict(program, ["the runner: the process ended"], 0, "it failed", ["it failed"])
            pool = _pool()
        except Exception as error:  # noqa: BLE001  # the others are to be run, and this one is told
            yield Verdict(program, [f"the runner: {error!r}"], 0, "it failed", ["it failed"])
    pool.shutdown()


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))


def _verdict(program: Program) -> Verdict:
    import torch
    from torch._dynamo.utils import counters

    logging.getLogger("torch").setLevel(logging.CRITICAL)
    torch._dynamo.reset()
    counters.clear()

    class Native:
        """Tell in pullback's words what torch did."""

        @property
        def specializations(self) -> int:
            return counters["stats"]["unique_graphs"]

        @property
        def eager_because(self) -> str | None:
            return next(iter(counters["graph_break"]), None)

    def compiler(function: Any) -> Any:
        compiled = torch.compile(function, backend="eager")
        compiled.__dict__["_native"] = Native()
        return compiled

    verdict = compare(program, torch, compiler)
    if verdict.eager_because is not None:
        # torch breaks graphs without a word.
        verdict.notices = [verdict.eager_because]
    return verdict
