"""Losses of pairs in large arrays, and their slopes, by native loops that pass through memory once."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..core.op import Term

_NATIVE = (np.dtype(np.float32), np.dtype(np.float64))
#: Pairs of a row where a loop adds all of them.
_ROW = 4096


def value(
    name: str, loss: Callable[..., ndarray], arrays: Sequence[ndarray | None], attrs: tuple[Any, ...]
) -> ndarray | None:
    """Return what a native loop makes of large arrays of one shape, or None.

    2²⁰ pairs of float32, NumPy's passes and so, one thread (torch), ms: mse 0.7, 0.2 (0.5), huber 4.3, 0.15
    (0.7), bce_with_logits 15.8, 5.0 (5.9); with the pullback of huber 9.1, 0.5 (0.9).
    """
    if (x := arrays[0]) is None or not _are_alike(arrays):
        return None
    if attrs[-1] == "none":
        whole = all(v is not None for v in arrays)
        each: ndarray | None = large.ask("elementwise", name, arrays, attrs) if whole else None
        return each
    end = x.size - x.size % _ROW
    rows = [None if v is None else v.reshape(-1)[:end].reshape(-1, _ROW) for v in arrays]
    found = large.ask("rows", name, rows, (*attrs[:-1], "sum"), (True,) * len(rows))
    if found is None:
        return None
    result = found[0]
    if end < x.size:
        rest = [None if v is None else v.reshape(-1)[end:] for v in arrays]
        result = np.add(result, np.add.reduce(loss(*rest, *attrs[:-1])), out=...)
    return np.true_divide(result, x.size, out=...) if attrs[-1] == "mean" else result


def _are_alike(arrays: Sequence[ndarray | None]) -> bool:
    """Return whether arrays are C-ordered, of one shape and of one dtype that native loops take."""
    first = arrays[0]
    return first is not None and first.dtype in _NATIVE and all(
        v is None or (v.shape == first.shape and v.dtype == first.dtype and v.flags.c_contiguous)
        for v in arrays
    )  # fmt: skip


def slope(
    function: Callable[..., Any], g: Term, given: tuple[Any, ...], attrs: tuple[Any, ...]
) -> ndarray | None:
    """Return what a slope makes of a covector, or of one number, and arrays of one shape; or None."""
    bare = all(v is None or type(v) is ndarray for v in given)
    if not bare or not isinstance(g, (ndarray, np.floating)) or not _are_alike(given):
        return None
    found: ndarray | None = large.ask("mapped", function, np.asarray(g), given, attrs)
    return found
