"""One table of samples per op, by family; the generic checks of `test_generic.py` run on every row.

A family's module has a list `SAMPLES`. To add rows for an op:

    SAMPLES += [Sample("tanh", (normal(3, 4),)), Sample("sum", (normal(2, 3),), ((0,), False))]

Arrays are float64 or complex128 (finite differences need the digits); integers and booleans pass through.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """Inputs and attributes of one call of an op.

    Attributes
    ----------
    op : str
        Name in the op table.
    inputs : tuple
        Arrays, Python numbers or None; for a variadic op the members of the sequence.
    attrs : tuple
    smooth : bool
        Whether the op is differentiable around the inputs (else finite differences are not asked).
    second : bool
        Whether to check second derivatives by finite differences of the vjp.
    forward : bool
        Whether the op has a forward derivative; where torch has none the op refuses it in torch's words.
    reference : callable, optional
        The value by other means, on arrays: ``reference(*inputs, *attrs)``.
    batched : bool
        Whether to compare vmap with a loop (not for ops that draw random numbers).
    deterministic : bool
        Whether two calls give the same value.
    known_shape : bool
        Whether the outputs' shapes follow from the inputs' shapes (not for a selection by mask).
    """

    op: str
    inputs: tuple[Any, ...]
    attrs: tuple[Any, ...] = ()
    smooth: bool = True
    second: bool = True
    forward: bool = True
    reference: Callable[..., Any] | None = None
    batched: bool = True
    deterministic: bool = True
    known_shape: bool = True

    def __str__(self) -> str:
        shapes = ",".join(str(np.shape(v)).replace(" ", "") if v is not None else "None" for v in self.inputs)
        return f"{self.op}-{shapes}-{len(self.attrs)}"


_rng = np.random.default_rng(20240229)


def normal(*shape: int, scale: float = 1.0, shift: float = 0.0) -> np.ndarray:
    """Normal float64 values."""
    return np.asarray(_rng.normal(size=shape) * scale + shift)


def positive(*shape: int, low: float = 0.5, high: float = 2.0) -> np.ndarray:
    """Uniform float64 values between two positive bounds."""
    return np.asarray(_rng.uniform(low, high, size=shape))


def between(*shape: int, low: float, high: float) -> np.ndarray:
    """Uniform float64 values."""
    return np.asarray(_rng.uniform(low, high, size=shape))


def complex_normal(*shape: int) -> np.ndarray:
    """Normal complex128 values."""
    return np.asarray(_rng.normal(size=shape) + 1j * _rng.normal(size=shape))


def integers(*shape: int, low: int = 0, high: int = 10) -> np.ndarray:
    """Uniform int64 values, `high` excluded."""
    return np.asarray(_rng.integers(low, high, size=shape))


def apart(*shape: int) -> np.ndarray:
    """Distinct float64 values at least 0.1 apart, in random order (for sorting and maxima)."""
    count = int(np.prod(shape))
    return (_rng.permutation(count).reshape(shape) - count / 2 + 0.25) * 0.1


def table() -> list[Sample]:
    """The rows of every family."""
    rows: list[Sample] = []
    for info in pkgutil.iter_modules(__path__):
        rows += importlib.import_module(f"{__name__}.{info.name}").SAMPLES
    return rows
