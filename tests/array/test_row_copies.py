"""Rows that an index names are copied by native threads, whatever they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import pullback as torch
from pullback.array import large, scatter, threads

pytest.importorskip("llvmlite")

from pullback.compiler.eager_kernels.row_copies import RowCopies

Way = Callable[[Any, int, Any], Any]


def _by_gather(x: Any, dim: int, index: Any) -> Any:
    rows = index.reshape(*(-1 if axis == dim else 1 for axis in range(x.dim())))
    return x.gather(dim, rows.expand(*(-1 if axis == dim else size for axis, size in enumerate(x.shape))))


WAYS: dict[str, Way] = {
    "index_select": lambda x, dim, index: x.index_select(dim, index),
    "gather": _by_gather,
}


@pytest.fixture(autouse=True)
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Give a list that gets the bytes of each native run, on three threads."""
    if not large.is_there():
        pytest.skip("native code is switched off")
    before, found, take = threads.get_num_threads(), [], RowCopies.take
    threads.set_num_threads(3)
    monkeypatch.setattr(scatter._HOTNESS, "_is_due", True)

    def counted(loops: RowCopies, x: Any, index: Any, out: Any, work: float) -> bool:
        found.append(out.nbytes)
        return take(loops, x, index, out, work)

    assert large.source().take  # compiled by now
    monkeypatch.setattr(RowCopies, "take", counted)
    large.source().__dict__.pop("take", None)
    yield found
    large.source().__dict__.pop("take", None)
    threads.set_num_threads(before)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.complex128, np.bool_])
@pytest.mark.parametrize(
    ("shape", "dim", "count"), [((2000, 64), 0, 40_000), ((7, 50, 30, 65), 0, 60), ((20, 100, 64), 1, 2000)]
)
def test_rows_on_threads_are_those_of_numpy(
    way: str, dtype: Any, shape: tuple[int, ...], dim: int, count: int, runs: list[int]
) -> None:
    if way == "gather" and dim:
        pytest.skip("it names elements of slices that are not rows")
    rng = np.random.default_rng(0)
    x, index = (rng.standard_normal(shape) * 9).astype(dtype), rng.integers(0, shape[dim], count)
    found = WAYS[way](torch.from_numpy(x), dim, torch.from_numpy(index)).numpy()
    expected = np.take(x, index, dim)
    assert found.tobytes() == expected.tobytes()
    assert found.shape == expected.shape
    assert runs == [expected.nbytes]


def test_places_outside_are_refused(runs: list[int]) -> None:
    x, index = torch.zeros(2000, 64), torch.full((40_000,), 2000)
    for way in WAYS.values():
        with pytest.raises((IndexError, RuntimeError)):
            way(x, 0, index)
    assert not runs
