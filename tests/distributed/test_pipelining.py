"""Pipelines on real ranks: losses, outputs and gradients of torch with gloo, and of one process alone."""

from __future__ import annotations

from typing import Any

import pytest

import pullback as pb
from pullback import nn
from pullback.distributed import pipelining
from pullback.distributed.pipelining.orders import Kind, all_then_back, one_forward_one_back, without_bubbles

from ..recorded import load
from .side_by_side import needs_mpi, run, same


def ends(orders: list[list[Any]], stages: int) -> bool:
    """Whether ranks that each go through their order, and wait for what they need, come to the end."""
    done: set[tuple[int, Kind, int]] = set()
    left = [list(order) for order in orders]
    while any(left):
        before = len(done)
        for order in left:
            while order and needed(order[0], stages) <= done:
                stage, kind, chunk = order.pop(0)
                whole = (Kind.BACKWARD, Kind.BACKWARD_INPUT)
                done |= {(stage, each, chunk) for each in (whole if kind in whole else (kind,))}
        if len(done) == before:
            return False
    return True


def needed(action: Any, stages: int) -> set[tuple[int, Kind, int]]:
    stage, kind, chunk = action
    if kind is Kind.BACKWARD_WEIGHT:
        return {(stage, Kind.BACKWARD_INPUT, chunk)}
    if kind is Kind.FORWARD:
        return {(stage - 1, kind, chunk)} if stage else set()
    return {(stage, Kind.FORWARD, chunk)} | ({(stage + 1, kind, chunk)} if stage < stages - 1 else set())


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("count", [4, 12])
def test_no_order_comes_to_a_standstill(ranks: int, count: int) -> None:
    size = count // max(1, count // ranks)
    for local in (1, 3):
        stages = [range(rank, ranks * local, ranks) for rank in range(ranks)]
        ahead = [(local - 1) * size + ranks - 1 - rank for rank in range(ranks)]
        made = [
            [all_then_back(mine, count, last_first=True) for mine in stages],
            [one_forward_one_back(stages[r], count, size, ahead[r] + ranks - 1 - r) for r in range(ranks)],
            [
                one_forward_one_back(stages[r], count, size, ahead[r], halves=True, delay=r)
                for r in range(ranks)
            ],
        ]
        for orders in made:
            assert ends(orders, ranks * local)
            assert all(len(set(order)) == len(order) for order in orders)
    v = without_bubbles(ranks, count)
    assert ends(v, 2 * ranks)
    assert {len(order) for order in v} == {6 * count}


class Cut(nn.Module):
    """A model that is cut in its code, with a value that skips a part."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b, self.c = (nn.Linear(4, 4) for _ in range(3))

    def forward(self, x: Any, mask: Any) -> Any:
        y = self.a(x)
        pipelining.pipe_split()
        z = self.b(y)
        pipelining.pipe_split()
        return self.c(z) * mask + y


def test_what_parts_pass_on() -> None:
    model, x, mask = Cut(), pb.randn(2, 4), pb.ones(2, 4)
    pipe = pipelining.pipeline(model, (x, mask))
    assert pipe.num_stages == pipe.info().num_stages == 3
    assert [name for name, _ in pipe.get_stage_module(1).named_parameters()] == ["b.weight", "b.bias"]
    assert pb.equal(pipe(x, mask=mask), model(x, mask))
    with pytest.raises(ValueError, match="Invalid stage index 3!"):
        pipe.get_stage_module(3)


def test_cuts_that_are_refused() -> None:
    shared = nn.Linear(2, 2)
    with pytest.raises(ValueError, match="may not share parameters"):
        pipelining.pipeline(nn.Sequential(shared, nn.Tanh(), shared), (), split_spec={
            "1": pipelining.SplitPoint.BEGINNING
        })  # fmt: skip
    with pytest.raises(AttributeError, match="Specified target 0.1 referenced nonexistent module 0.1"):
        pipelining.pipeline(nn.Sequential(shared), (), split_spec={"0.1": pipelining.SplitPoint.END})
    with pytest.raises(ValueError, match="both `split_spec` and `split_policy`"):
        pipelining.pipeline(shared, (), split_spec={}, split_policy=lambda traced: traced)


@needs_mpi
@pytest.mark.parametrize("ranks", [2, 4])
def test_as_in_torch_and_alone(ranks: int) -> None:
    found = run("pipelines.py", ranks=ranks)
    assert same(found, load("pipelines")[str(ranks)])
    for told in found.values():
        for name, results in told.items():
            for key, value in results.items() if isinstance(results, dict) else ():
                if key.startswith("gradient "):
                    whole = told["alone"][name not in ("gpipe", "1f1b")]
                    assert same(value, whole[key]), (name, key)
