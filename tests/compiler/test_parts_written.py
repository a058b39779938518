"""Writes to parts of a value, which are maps where the part is a box."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")

from .agreement import agree


def written(place: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """Return a function that adds to a part of a value in place."""

    def function(x: Any, y: Any) -> Any:
        z = x * 2
        part = place(z)
        part += place(y).exp()
        return z

    return function


BOXES: dict[str, Callable[[Any], Any]] = {
    "an element of each": lambda z: z[:, 1, 2],
    "the inside": lambda z: z[1:-1, 1:-1],
    "transposed": lambda z: z[:, 2:].transpose(0, 1)[:1],
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "every second": lambda z: z[::2],
    "a stretch over rows": lambda z: z.view(-1)[3:50],
    "axes exchanged": lambda z: z.transpose(0, 2)[1:],
}


@pytest.mark.parametrize("name", BOXES)
def test_boxes_need_no_array_kernel(name: str) -> None:
    torch.manual_seed(0)
    agree(written(BOXES[name]), torch.randn(5, 4, 6), torch.randn(5, 4, 6))


@pytest.mark.parametrize("name", OTHERS)
def test_other_parts_give_what_eager_gives(name: str) -> None:
    torch.manual_seed(0)
    x, y = torch.randn(5, 4, 6), torch.randn(5, 4, 6)
    function = written(OTHERS[name])
    torch.testing.assert_close(torch.compile(function)(x, y), function(x, y))


def test_a_loop_that_writes_to_a_place_is_native() -> None:
    def steps(x: Any, source: Any) -> Any:
        for n in range(12):
            x = x * 0.9 + x.roll(1, 1)
            x[:, 2] = x[:, 2] + source[n]
        return x

    agree(steps, torch.randn(3, 8), torch.randn(12, 3))
