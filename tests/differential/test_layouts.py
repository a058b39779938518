"""Values, strides and shared memory of results, whatever order their operands lie in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import pullback

from ..recorded import load
from .layouts import Outcome, Placed, run, seeds

#: Ways to lay out the operands of each case, of which the first was recorded too.
WAYS, RECORDED = 3, 1

#: Every so many cases are compared live: all of them took 28 s of processor time.
EVERY = 2

#: Shares of the results that must be equal. Values are those of rounded sums in other orders.
VALUES, STRIDES = 0.999, 0.995


def pairs(expected: Outcome, found: Outcome) -> Iterator[tuple[str, Placed, Placed]]:
    for k, (a, b) in enumerate(zip(expected.results, found.results, strict=True)):
        yield f"[{k}]", a, b
    for (name, a), (_, b) in zip(expected.gradients, found.gradients, strict=True):
        yield f" {name}.grad", a, b


def close(a: np.ndarray, b: np.ndarray) -> bool:
    within = 2e-3 if a.dtype == np.float16 else 1e-4
    return a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b, within, within, equal_nan=True)


def share(failing: list[str], count: int) -> float:
    return 1 - len(failing) / count


def test_results_lie_as_in_torch() -> None:
    torch = pytest.importorskip("torch")
    values, strides, memory, errors = [], [], [], []
    count = 0
    for expression, shape, way in list(seeds(WAYS))[::EVERY]:
        expected, found = run(expression, shape, way, torch), run(expression, shape, way, pullback)
        case = f"{expression} of {shape}, way {way}"
        if expected.error or found.error:
            if expected.error != found.error:
                errors.append(f"{case}: {expected.error or 'nothing'} and {found.error or 'nothing'} raised")
            continue
        for where, a, b in pairs(expected, found):
            count += 1
            if not close(a.values, b.values):
                values.append(f"{case}{where}")
            if a.steps != b.steps:
                strides.append(f"{case}{where}: {a.steps} expected, {b.steps} found")
            if a.shares != b.shares:
                memory.append(f"{case}{where}: memory of {a.shares!r} expected, {b.shares!r} found")
    assert not memory, memory
    assert not errors, errors
    assert share(values, count) >= VALUES, values
    assert share(strides, count) >= STRIDES, strides


def test_results_lie_as_recorded_from_torch() -> None:
    recorded = load("layouts")
    differing = []
    for expression, shape, way in seeds(RECORDED):
        expected = recorded[f"{expression} of {shape}"]
        found = run(expression, shape, way, pullback)
        if describe(found) != expected:
            differing.append(f"{expression} of {shape}: {expected} expected, {describe(found)} found")
    assert share(differing, len(recorded)) >= STRIDES, differing


def describe(outcome: Outcome) -> str:
    """What is recorded of an outcome: strides and shared memory of each result and gradient."""
    both = (*outcome.results, *(placed for _, placed in outcome.gradients))
    return outcome.error or ", ".join(f"{placed.steps}{placed.shares}" for placed in both)
