"""Parts that are joined are copied as pieces of memory where they lie as they do in the whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import pullback as torch

pytest.importorskip("llvmlite")

#: What of a (6, 32) is a part, along which axis it is joined twice, and how many pieces are copied.
CASES: dict[str, tuple[Callable[[Any], Any], int, int]] = {
    "whole": (lambda x: x, 0, 2),
    "rows": (lambda x: x, 1, 2),
    "rows of a slice": (lambda x: x[1:4], 0, 2),
    "a slice of each row": (lambda x: x[:, 3:25], 0, 2),
    "short rows": (lambda x: x[:, 3:9], 1, 0),
    "every other": (lambda x: x[:, ::2], 0, 0),
    "transposed": (lambda x: x.T, 1, 0),
    "backwards": (lambda x: x.flip(0), 0, 2),
    "computed": (lambda x: x * 2, 1, 0),
    "another dtype": (lambda x: x.double() if x.is_floating_point() else x, 0, 0),
    "spread": (lambda x: x[:, :1].expand(6, 32), 0, 0),
    "mirrored": (lambda x: x.flip(1), 0, 0),
    "rolled": (lambda x: x.roll(1, 0), 0, 2),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bool, torch.complex64])
def test_pieces(name: str, dtype: Any) -> None:
    part, dim, pieces = CASES[name]
    x = torch.arange(192.0).reshape(6, 32).sub(90).mul(100 if dtype is torch.bool else 1).to(dtype)
    function = torch.compile(lambda x: torch.cat([part(x), part(x)], dim))
    assert (function(x) == torch.cat([part(x), part(x)], dim)).all()
    if dtype is torch.float32:
        (made,) = function._native.specializations
        assert made.forward.llvm.count("call void @llvm.memcpy") == pieces


def test_gradients_and_many_parts() -> None:
    def both(xs: list[Any]) -> Any:
        return torch.stack(xs), torch.cat([*xs, xs[0] * 2, xs[1][2:]])

    xs = [torch.arange(5.0).add(n).requires_grad_() for n in range(30)]
    for a, b in zip(torch.compile(both)(xs), both(xs), strict=True):
        assert (a == b).all()
        found, expected = (torch.autograd.grad((y * y).sum(), xs) for y in (a, b))
        assert all((f == e).all() for f, e in zip(found, expected, strict=True))


def test_copies_are_not_unrolled() -> None:
    function = torch.compile(lambda x: torch.cat([x, x + 1], 1))
    function(torch.ones(8, 64))
    (made,) = function._native.specializations
    piece = made.forward.llvm.partition("call void @llvm.memcpy")[2]
    # LLVM is told at the end of the loop around it.
    assert "!llvm.loop !3" in piece[: piece.index("_exit:")]


@pytest.mark.parametrize(("columns", "kind"), [(5, 1), (128, 5), (300, 1)])
def test_which_rows_are_not_written_out(columns: int, kind: int) -> None:
    x = torch.arange(8.0 * columns).reshape(8, columns)
    function = torch.compile(lambda x: torch.cat([x * 2, x.cos()], 1))
    assert (function(x)[:, :columns] == x * 2).all()
    (made,) = function._native.specializations
    loops = [f"!llvm.loop !{k}\n" in made.forward.llvm for k in (1, 5)]
    assert loops == [kind == 1, kind == 5]
