"""What shares memory in torch shares memory here, and nothing else does (see `aliasing`)."""

from __future__ import annotations

from functools import cache

import pytest

import pullback
from tests.recorded import load

from .aliasing import LAYOUTS, answer, calls

#: torch's pools take images without a batch as they are; here they are given the axis for a while, so that
#: the result is a view of the one with it.
LEFT = {
    "F.avg_pool2d(x,1)", "F.max_pool2d(x,1)", "F.adaptive_avg_pool2d(x,2)", "F.adaptive_max_pool2d(x,2)",
    "F.adaptive_avg_pool2d(x,(None,None))",
}  # fmt: skip

#: Every so many calls are compared live: all of them took 18 s, and the record is of the same calls.
EVERY = 5


@cache
def found() -> dict[tuple[str, str], str]:
    return {(layout, call): answer(layout, call, pullback) for layout, call in calls()}


def compare(expected: dict[tuple[str, str], str]) -> None:
    """Compare where torch raises no error: errors are compared, with their texts, elsewhere."""
    wrong = {
        (layout, call): (text, found()[layout, call])
        for (layout, call), text in expected.items()
        if text not in ("error", found()[layout, call]) and not (layout == "thin" and call in LEFT)
    }
    assert not wrong, f"{len(wrong)} of {len(expected)}: {wrong}"


def test_as_recorded() -> None:
    expected = {
        (layout, call): text
        for call, answers in load("aliasing").items()
        for text, layouts in answers.items()
        for layout in layouts.split(", ")
    }
    assert set(expected) == set(calls()), "run python -m tests.differential.aliasing"
    compare(expected)


def test_as_torch() -> None:
    torch = pytest.importorskip("torch")
    # The record has all of them; here it is asked whether the torch that is installed still agrees.
    compare({(layout, call): answer(layout, call, torch) for layout, call in list(calls())[::EVERY]})


def test_every_layout_is_made() -> None:
    assert all(answer(layout, "x", pullback) == "itself" for layout in LAYOUTS)
