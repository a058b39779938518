"""Rows of the op samples compiled: their values, dtypes and gradients against eager."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import pullback
from pullback.core.marked import resolved
from pullback.core.node import LEAF
from pullback.core.op import TABLE
from pullback.core.value import TensorBase, run, wrap
from tests.compiler.agreement import CALLS, anew
from tests.ops import capabilities
from tests.ops.samples import Sample

#: Rows that the test of compiled ops runs on; a rule of the test's own would read NumPy's arrays.
ROWS = [row for row in capabilities.ROWS if capabilities.compiled(row) and row.op != "gather_sparse"]
#: By dtype of the inputs: largest difference of a value and of a gradient, relative to the largest element.
TOLERANCE = {"float64": (1e-12, 1e-10), "float32": (4e-6, 4e-5)}


def differences(sample: Sample, dtype: str = "float64") -> list[str]:
    """What the compiled op does otherwise than eager."""
    op, attrs = TABLE[sample.op], sample.attrs
    compiled = pullback.compile(lambda *inputs: run(op, inputs, attrs), backend="native")
    return [d for call in range(CALLS) for d in _called(sample, dtype, call, compiled)]


def _called(sample: Sample, dtype: str, call: int, compiled: Any) -> list[str]:
    op, attrs = TABLE[sample.op], sample.attrs
    mine, theirs = _tensors(sample, dtype, call), _tensors(sample, dtype, call)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        expected, got = _outputs(run(op, tuple(mine), attrs)), _outputs(compiled(*theirs))
        found = [] if compiled._native.eager_because is None else [compiled._native.eager_because]
        for n, (a, b) in enumerate(zip(expected, got, strict=True)):
            found += _different(f"output {n}", a, b, TOLERANCE[dtype][0])
            if (a._node is None) != (b._node is None):
                found.append(f"output {n} has {a._node}, compiled {b._node}")
        if found or not capabilities.traced(sample):
            return found
        for outputs in (expected, got):
            _pull(sample, outputs)
        for n, (x, y) in enumerate(zip(mine, theirs, strict=True)):
            if isinstance(x, TensorBase) and (x.grad is None) != (y.grad is None):
                found.append(f"the gradient of input {n} is {x.grad}, compiled {y.grad}")
            elif isinstance(x, TensorBase) and x.grad is not None:
                found += _different(f"the gradient of input {n}", x.grad, y.grad, TOLERANCE[dtype][1])
    return found


def _tensors(sample: Sample, dtype: str, call: int) -> list[Any]:
    differentiable = capabilities.traced(sample)
    made = []
    for v in sample.inputs:
        if capabilities.is_array(v):
            narrow = dtype == "float32" and v.dtype.kind in "fc"
            v = v.astype(np.float32 if v.dtype.kind == "f" else np.complex64) if narrow else v.copy()
            if v.dtype.kind in "fc":
                # Backwards in every second call: a matrix that is symmetric and positive stays so. What is
                # whole may be an order or bounds of segments.
                v[...] = anew(v, call % 2)
            v = wrap(v, LEAF if capabilities.carries(v) and differentiable else None)
        made.append(v)
    return made


def _outputs(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _pull(sample: Sample, outputs: tuple[Any, ...]) -> None:
    rng = np.random.default_rng(0)
    roots, covectors = [], []
    for k, out in enumerate(outputs):
        v = rng.normal(size=out.shape)
        if out.is_complex():
            v = v + 1j * rng.normal(size=out.shape)
        if out._node is not None and (sample.pulled is None or k in sample.pulled):
            roots.append(out)
            covectors.append(wrap(np.asarray(v).astype(out._value.dtype)))
    if roots:
        pullback.autograd.backward(roots, covectors)


def _different(name: str, a: Any, b: Any, tolerance: float) -> list[str]:
    if a.is_conj() != b.is_conj() or a.is_neg() != b.is_neg():
        return [f"{name}: marked otherwise than compiled"]
    x, y = np.asarray(resolved(a._value)), np.asarray(resolved(b._value))
    if x.dtype != y.dtype or x.shape != y.shape:
        return [f"{name}: {x.dtype}{x.shape}, compiled {y.dtype}{y.shape}"]
    same = (x == y) | ((x != x) & (y != y))
    if x.dtype.kind in "fc" and not same.all():
        finite = np.abs(x[np.isfinite(x)])
        same |= np.abs(x - y) <= tolerance * (finite.max() if finite.size else 0)
    return [] if same.all() else [f"{name}: {x[~same][:3]}, compiled {y[~same][:3]}"]
