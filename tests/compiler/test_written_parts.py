"""Parts that are written one by one become values: the same numbers and signs of zeros, few equations."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.core.body import Body
from pullback.core.recorder import read_by

pytest.importorskip("llvmlite")
from pullback.compiler.passes import pipeline
from pullback.compiler.passes.part_history import History
from pullback.compiler.passes.written_parts import parts_apart

pytestmark = pytest.mark.usefixtures("in_haste")


def drawn(*shape: int, seed: int = 0) -> Any:
    """Return numbers of which some are zeros of either sign."""
    values = np.random.default_rng([seed, *shape]).standard_normal(shape).round(1)
    return torch.tensor(values, dtype=torch.float64)


def agree(function: Callable[..., Any], *args: Any, ways: tuple[bool, ...] = (False, True)) -> Any:
    """Compare results and gradients, compiled and not, taken after what is compiled and within it, or one of
    both ways; return the compiled function.
    """

    def run(call: Callable[..., Any], within: bool) -> list[Any]:
        leaves = [a.clone().requires_grad_() for a in args]
        result = call(*leaves)
        if not within:
            result.backward(torch.ones_like(result) * -0.5)
        return [result.detach(), *[torch.zeros(1) if a.grad is None else a.grad for a in leaves]]

    def pulled(*leaves: Any) -> Any:
        result = function(*leaves)
        result.backward(torch.ones_like(result) * -0.5)
        return result.detach()

    whole = None
    for within in ways:
        step = pulled if within else function
        whole = torch.compile(step, backend="native", fullgraph=True)
        for want, got in zip(run(step, within), run(whole, within), strict=True):
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-9, atol=1e-12)
    return whole


@pytest.fixture(autouse=True)
def bit_for_bit(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Compare what the pass returns with what it is given, by kernels, signs of zeros included."""
    seen = []

    def compared(equations: Any, roller: Any, needed: Any) -> Any:
        needed = sorted(set(needed))
        after = parts_apart(equations, roller, needed)
        recorder = roller.recorder
        made = {n for e in equations for n in e.outputs}
        given = sorted((read_by(equations) | set(needed)) - made - recorder.constants.keys())
        arrays = [drawn(*recorder.shapes[n], seed=n).numpy().astype(recorder.dtypes[n]) for n in given]
        results = [
            Body(given, part, needed, recorder.constants, recorder.shapes, recorder.dtypes).evaluate(arrays)
            for part in (equations, after)
        ]
        for want, got in zip(*results, strict=True):
            np.testing.assert_array_equal(got, want)
            assert got.dtype == want.dtype
            if want.dtype.kind == "f":
                assert (np.signbit(got) == np.signbit(want)).all()
        seen.append(len(after))
        return after

    stages = [s._replace(change=compared) if s.change is parts_apart else s for s in pipeline.PIPELINE]
    monkeypatch.setattr(pipeline, "PIPELINE", tuple(stages))
    return seen


def most(whole: Any, count: int) -> None:
    """Hold the number of equations of a compiled step."""
    assert len(whole._native.specializations[0].captured.program.equations) <= count


@pytest.mark.parametrize("axis", [0, 1])
def test_rows_from_the_last_to_the_first(axis: int) -> None:
    def advantages(rewards: Any, values: Any) -> Any:
        table, last = torch.zeros_like(rewards), 0.0
        for t in reversed(range(20)):
            last = rewards.select(axis, t) + 0.5 * values.select(axis, t).tanh() + 0.25 * last
            table.select(axis, t)[...] = last
        return table.square() * values

    shape = (20, 3) if axis == 0 else (3, 20)
    most(agree(advantages, drawn(*shape), drawn(*shape, seed=1)), 80)


def test_a_table_of_which_steps_read_the_row_before() -> None:
    def viterbi(scores: Any, moves: Any) -> Any:
        table = torch.zeros(16, 4, dtype=scores.dtype)
        table[0] = scores[0]
        for t in range(1, 16):
            table[t] = (table[t - 1].clone().unsqueeze(1) + moves).max(0)[0] + scores[t]
        return table[-1]

    most(agree(viterbi, drawn(16, 4), drawn(4, 4)), 80)


def test_a_table_of_which_steps_read_neighbours() -> None:
    def distance(costs: Any) -> Any:
        table = torch.full((7, 9), 5.0, dtype=costs.dtype)
        table[0, 0] = 0
        for i in range(1, 7):
            for j in range(1, 9):
                parts = torch.stack([table[i - 1, j - 1], table[i - 1, j], table[i, j - 1]])
                table[i, j] = costs[i - 1, j - 1] - torch.logsumexp(-parts, 0)
        return table[6]

    agree(distance, drawn(6, 8))


def test_parts_of_rows() -> None:
    def heat(start: Any) -> Any:
        states = torch.zeros(12, 9, dtype=start.dtype)
        states[0] = start
        for t in range(11):
            u = states[t].clone()
            states[t + 1, 1:-1] = u[1:-1] + 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2])
        return states

    agree(heat, drawn(9))


def _random(seed: int) -> Callable[..., Any]:
    """Return a program that reads and writes parts of a table as they come."""
    choose = Random(seed)
    steps = []
    for _ in range(choose.randrange(6, 26)):
        kinds = ["row", "row", "cell", "column", "slice", "add", "scale", "whole", "number", "fill"]
        kind = choose.choice(kinds)
        steps.append((kind, *(choose.randrange(5) for _ in range(4))))

    def program(x: Any, y: Any) -> Any:
        table, total = (x * 1.0 if seed % 2 else torch.zeros(5, 5, dtype=x.dtype)), y.sum(0)
        for kind, i, j, k, m in steps:
            row = table[k].clone()
            if kind == "row":
                table[i] = row * y[m] + total
            elif kind == "cell":
                table[i, j] = (table[k, m] + y[i, j]).sin()
            elif kind == "column":
                table[:, j] = table[:, k] * 0.5 + y[m]
            elif kind == "slice":
                table[i, 1:4] = row[:3] - y[m, 2:]
            elif kind == "add":
                table[i] += y[j] * total
            elif kind == "scale":
                table *= 0.75
            elif kind == "whole":
                total = total + (table.clone() * y).sum(1).tanh()
            elif kind == "number":
                table[i] = y[j, k]
            else:
                table[i].zero_()
                total = total * row
        return (table[::2] * 2).sum(0) + table[j] + total

    return program


@pytest.mark.parametrize("seed", range(12))
def test_random_writes(seed: int) -> None:
    # Each third and fourth takes it within: 20 programs taken both ways took 32 s of processor time.
    ways = (seed % 4 > 1,)
    agree(_random(seed), drawn(5, 5, seed=seed), drawn(5, 5, seed=seed + 100), ways=ways)


@pytest.mark.parametrize("count", [8, 6, 1])
def test_signs_of_zeros_in_gradients_of_parts(count: int) -> None:
    def step(x: Any, w: Any) -> Any:
        total = 0
        for i in range(8):
            total = total + torch.tanh(x[i % count] * w) * w
        return torch.autograd.grad(total, x, torch.full_like(total, -0.0))[0]

    x, w = drawn(8, 4).requires_grad_(), torch.tensor([1.0, -0.0, 0.0, -1e-300], dtype=torch.float64)
    call = torch.compile(step, backend="native", fullgraph=True)
    want, got = step(x, w), call(x, w)
    np.testing.assert_allclose(got.numpy(), want.numpy())
    np.testing.assert_array_equal(torch.signbit(got).numpy(), torch.signbit(want).numpy())


def test_what_a_part_is_in_each_version() -> None:
    history = History(7)
    history.write(((0, 1),), 8)
    history.write(((0, 1), (0, 2)), 9)
    history.write(((0, 1),), 10)
    values = [history.covered(((0, 1), (0, 2)), version).value for version in range(4)]
    assert values == [None, 8, 9, 10]
    assert history.parts(((0, 1),), 1, 2) == {(0, 2)}
    assert not history.has_parts(((0, 1),), 2, 3)
    assert history.fits(((0, 4), (1, 0)))
    assert not history.fits(((1, 4),))
