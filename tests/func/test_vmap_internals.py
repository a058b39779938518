"""The earlier name of `vmap` and its outputs that are None."""

from __future__ import annotations

from typing import Any

import pullback as torch
from pullback._vmap_internals import _vmap


def test_maps_as_vmap_does() -> None:
    x = torch.arange(6.0).view(3, 2)
    assert torch.equal(_vmap(lambda row: row.sum())(x), x.sum(1))


def test_none_passes_through() -> None:
    def rows(row: Any) -> Any:
        return row * 2, None

    doubled, nothing = _vmap(rows, 0, 0, allow_none_pass_through=True)(torch.ones(2, 3))
    assert nothing is None
    assert torch.equal(doubled, torch.full((2, 3), 2.0))


def test_one_output_stays_one() -> None:
    out = _vmap(lambda row: row + 1, 0, 0, True)(torch.zeros(2))
    assert torch.equal(out, torch.ones(2))
