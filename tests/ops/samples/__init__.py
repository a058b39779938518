"""One table of samples per op, by family; the generic checks of `test_generic.py` run on every row.

A family's module has a list `SAMPLES`. To add rows for an op:

    SAMPLES += [Sample("tanh", (normal(3, 4),)), Sample("sum", (normal(2, 3),), ((0,), False))]

Arrays are float64 or complex128 (finite differences need the digits); integers and booleans pass through.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from pullback.ops import declare_all


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
    batched : bool or "first"
        Whether to compare vmap with a loop (not for ops that draw random numbers); "first": with a batch of
        the first input alone, for the others belong together.
    deterministic : bool
        Whether two calls give the same value.
    known_shape : bool
        Whether the outputs' shapes follow from the inputs' shapes (not for a selection by mask).
    varied : dict of int to callable
        For inputs that may not vary freely, what makes an allowed direction of any (`hermitian`, `lower`,
        `upper`, `fixed`).
    pulled : tuple of int, optional
        The outputs that get covectors (default: all), where others are determined up to a phase only.
    traced : bool
        Whether the vjp may be traced (not where the rule chooses by the data).
    """

    op: str
    inputs: tuple[Any, ...]
    attrs: tuple[Any, ...] = ()
    smooth: bool = True
    second: bool = True
    forward: bool = True
    reference: Callable[..., Any] | None = None
    batched: bool | Literal["first"] = True
    deterministic: bool = True
    known_shape: bool = True
    varied: dict[int, Callable[[np.ndarray], np.ndarray]] = field(default_factory=dict)
    pulled: tuple[int, ...] | None = None
    traced: bool = True

    def __str__(self) -> str:
        shapes = ",".join(str(np.shape(v)).replace(" ", "") if v is not None else "None" for v in self.inputs)
        kind = "-complex" if any(np.iscomplexobj(v) for v in self.inputs) else ""
        return f"{self.op}-{shapes}-{len(self.attrs)}{kind}"


def hermitian(t: np.ndarray) -> np.ndarray:
    """The direction in which a matrix of which the op reads one triangle varies."""
    return t + np.conj(np.swapaxes(t, -1, -2))


def lower(t: np.ndarray) -> np.ndarray:
    """The direction in which a Cholesky factor varies: a lower triangle with a real diagonal."""
    return np.tril(t, -1) + np.real(t) * np.eye(t.shape[-1])


def upper(t: np.ndarray) -> np.ndarray:
    """The same of the adjoint of a Cholesky factor."""
    return np.triu(t, 1) + np.real(t) * np.eye(t.shape[-1])


def fixed(t: np.ndarray) -> np.ndarray:
    """No direction: what torch takes for a constant."""
    return np.zeros_like(t)


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
    """The rows of every family, and complex twins of some (`complex_twins`)."""
    from .twins import complex_twins

    declare_all()
    rows: list[Sample] = []
    for info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{info.name}")
        rows += getattr(module, "SAMPLES", [])
    return rows + complex_twins(rows)
