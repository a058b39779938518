"""Define `linearize`: the derivative at a point as a program of its own.

The function runs once with tangents that are traced: what depends on a primal alone is computed there and
then, what depends on a tangent is written down. Pushing a tangent forward replays those equations only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..array import dtypes
from ..core.levels import entered_level
from ..core.op import TABLE
from ..core.recorder import Recorder, Reference
from ..core.size import Size
from ..core.tracer import Tracer
from ..core.value import TensorBase, dtype_of, run, shape_of, wrap
from ..tensor.batching import as_tensor
from ..tensor.duals import make_dual, tangent_of
from ..tensor.tree import tree_flatten, tree_unflatten
from .transforms import check_outputs


class _LinearRecorder(Recorder):
    """A recorder whose constants may be values of other transforms and parts of recorded graphs."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.held: dict[int, Any] = {}

    def operand(self, value: object) -> tuple[Any, Any]:
        """Return (what the equation holds, what the shape rule sees) for an input of an op."""
        if isinstance(value, TensorBase):
            if isinstance((inner := value._value), Tracer) and inner.recorder is self:
                return Reference(inner.index), inner
            index = self.new(shape_of(value), dtype_of(value)).index
            self.held[index] = value
            return Reference(index), value
        return super().operand(value)


def linearize(func: Callable[..., Any], *primals: object) -> Any:
    """Return the outputs at `primals` and the linear function ``t ↦ J·t``.

    Parameters
    ----------
    func : callable
        Takes and returns (nested containers of) tensors; it is called twice here and not again.
    *primals : tensors

    Returns
    -------
    (output, jvp_fn)
        ``jvp_fn(*tangents)`` takes tangents in the structure, shapes and dtypes of the primals.
    """
    output = func(*primals)
    out_spec = tree_flatten(output)[1]
    flat, spec = tree_flatten(primals)
    with entered_level() as below, entered_level(differentiating=True) as level:
        recorder = _LinearRecorder(below)
        inputs = [recorder.new(shape_of(x), dtype_of(x)) for x in flat]
        duals = [make_dual(x, wrap(t, None, below), level) for x, t in zip(flat, inputs, strict=True)]
        ys = tree_flatten(func(*tree_unflatten(duals, spec)))[0]
        check_outputs(ys, "jvp(f, primals, tangents)")
        tangents = [tangent_of(y, level) for y in ys]
        ends = [None if t is None else recorder.operand(t)[0] for t in tangents]
    numbers = [t.index for t in inputs]

    def push(*tangents: object) -> Any:
        given, given_spec = tree_flatten(tangents)
        if given_spec != spec:
            raise RuntimeError(
                f"Expected the tangents {given_spec} to have the same argspec as the primals {spec}"
            )
        for k, (x, t) in enumerate(zip(flat, given, strict=True)):
            _check_tangent(k, x, t)
        values: dict[int, Any] = {**recorder.constants, **recorder.held}
        values |= dict(zip(numbers, given, strict=True))
        for equation in recorder.equations:
            operands = tuple(values[v.index] if isinstance(v, Reference) else v for v in equation.operands)
            result = run(TABLE[equation.op], operands, equation.attrs)
            values.update(zip(equation.outputs, result if equation.several else (result,), strict=True))
        results = [
            wrap(np.zeros(shape_of(y), dtype_of(y))) if end is None else as_tensor(values[end.index])
            for y, end in zip(ys, ends, strict=True)
        ]
        return tree_unflatten(results, out_spec)

    return output, push


def _check_tangent(k: int, x: object, t: object) -> None:
    facts = (
        ("shape", Size(shape_of(t)), Size(shape_of(x))),
        ("dtype", dtypes.from_numpy_dtype(dtype_of(t)), dtypes.from_numpy_dtype(dtype_of(x))),
    )
    for name, found, expected in facts:
        if found != expected:
            raise RuntimeError(
                f"tangent:{k} with {name} {found} in flattened pytree doesn't match the {name} {expected} of "
                "the corresponding primal."
            )
