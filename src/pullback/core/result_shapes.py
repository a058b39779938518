"""Shapes and dtypes of an op's results from those of its inputs, as tracing and tensors without memory ask
for them.

Where an op has no rule of its own, its kernel is the rule: it runs on zeros. That costs what the op costs,
so ops whose results have the sizes of their inputs are asked with small sizes instead. Native code is not
asked for: it would be compiled for zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from ..array import large
from ..array.dtypes import get_default_dtype
from ..array.quiet import IGNORE, loud, quiet
from ..array.random import Generator
from .meta import Meta
from .value import dtype_of, shape_of

if TYPE_CHECKING:
    from .op import Op

Kinds = tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]

#: Sizes that stand for larger ones; no product of some is another.
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
_REAL = {np.dtype(np.float32), np.dtype(np.float64)}
#: Up to so many elements an op is asked with the sizes that its inputs have.
MANY = 1 << 12
#: Answers of an op that are remembered, at most.
KNOWN_DTYPES = 1024


def result_kinds(op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> Kinds:
    """Return (shape, dtype) of each output."""
    token, unread = quiet(IGNORE), large.unread.set(True)
    try:
        return _found(op, inputs, attrs)
    finally:
        large.unread.reset(unread)
        loud(token)


def _found(op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> Kinds:
    if op.draws:
        # The numbers drawn here are thrown away: they must not be the next of the user's stream.
        attrs = (*attrs[:-1], Generator())
    if op.kind == "elementwise" and op.shape is None:
        shapes = {shape for v in inputs if v is not None and (shape := shape_of(v))}
        # NumPy takes 2 µs for what most operands agree on.
        shape = shapes.pop() if len(shapes) == 1 else np.broadcast_shapes(*shapes)
        if (dtype := _floating(op, inputs)) is None:
            dtype = _asked(op, inputs, attrs)
        return ((shape, dtype),)
    if op.sizes_kept and any(prod(shape_of(v)) > MANY for v in inputs if v is not None):
        found = _with_small_sizes(op, inputs, attrs)
        if found is not None:
            return found
    arrays = tuple(_zeros(v, op.is_view) for v in inputs)
    if op.shape is not None:
        return tuple(op.shape(*arrays, *attrs))
    return _kinds(op.evaluate(arrays, attrs))


def _floating(op: Op, inputs: tuple[object, ...]) -> np.dtype[Any] | None:
    """Return the dtype of a function of real numbers of one dtype, which is theirs; None for other ops and
    inputs. Its kernel, which may have to import SciPy, does not run for that.
    """
    if not (op.promote == "float" or op.chained):
        return None
    found = {dtype_of(v) for v in inputs if not _is_number(v)}
    if len(found) > 1 or not found <= _REAL:
        return None
    (dtype,) = found
    takes = getattr(op.check, "takes", None) if op.check is not None else _REAL.__contains__
    return dtype if takes is not None and takes(dtype) else None


def _asked(op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> np.dtype[Any]:
    """Return the dtype that an elementwise op's kernel gives, which it is asked once for operands of any
    sizes: an optimizer asks for each parameter.
    """
    kinds = [(type(v), v) if _is_number(v) else (bool(shape_of(v)), dtype_of(v)) for v in inputs]
    key = (attrs, *map(type, attrs), get_default_dtype(), *kinds)
    found = None if op.draws else op.known_dtypes.get(key)
    if found is None:
        found = op.evaluate(tuple(_one(v) for v in inputs), attrs).dtype
        if not op.draws and len(op.known_dtypes) < KNOWN_DTYPES:
            op.known_dtypes[key] = found
    return found


def of_no_image(kernel: Callable[..., Any]) -> Callable[..., Kinds]:
    """Return the shape rule of an op whose inputs and results have an axis of images in front (weights and
    biases behind the first input do not): it runs on none.
    """

    def rule(x: ndarray, *rest: object) -> Kinds:
        return tuple(((len(x), *shape[1:]), dtype) for shape, dtype in _kinds(kernel(x[:0], *rest)))

    return rule


def _kinds(result: object) -> Kinds:
    return tuple((r.shape, r.dtype) for r in (result if isinstance(result, tuple) else (result,)))


def _is_number(value: object) -> bool:
    return value is None or isinstance(value, (bool, int, float, complex))


def _one(value: object) -> Any:
    """Return an array of one element in the dtype of a value; one without axes has none here either."""
    return value if _is_number(value) else np.ones((1,) * min(len(shape_of(value)), 1), dtype_of(value))


def _zeros(value: object, unread: bool) -> Any:
    """Return zeros in the shape and dtype of a value, without memory if they are not read; numbers stay."""
    if _is_number(value):
        return value
    if isinstance(value, Meta):
        return value.phantom()
    shape, dtype = shape_of(value), dtype_of(value)
    return Meta(shape, dtype).phantom() if unread and prod(shape) > MANY else np.zeros(shape, dtype)


def _with_small_sizes(op: Op, inputs: tuple[object, ...], attrs: tuple[object, ...]) -> Kinds | None:
    """Return the results of the op for a prime in place of each size; None where that does not tell."""
    sizes = sorted({n for v in inputs if not _is_number(v) for n in shape_of(v) if n > 1})
    if len(sizes) > len(PRIMES):
        return None
    small = dict(zip(sizes, PRIMES, strict=False))
    large = {prime: size for size, prime in small.items()}
    arrays = tuple(
        v if _is_number(v) else np.zeros([small.get(n, n) for n in shape_of(v)], dtype_of(v)) for v in inputs
    )
    try:
        kinds = _kinds(op.evaluate(arrays, attrs))
    except Exception:  # noqa: BLE001  # what is wrong is for the kernel to say of the sizes at hand
        return None
    if any(n > 1 and n not in large for shape, _ in kinds for n in shape):
        return None
    return tuple((tuple(large.get(n, n) for n in shape), dtype) for shape, dtype in kinds)
