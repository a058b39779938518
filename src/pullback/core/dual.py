"""Forward mode: a primal with its tangent.

A `Dual` runs an op on the primals and the op's jvp on the tangents. Where an op has no jvp of its own, `kind`
derives it: an elementwise op's rule with the tangent in place of the covector (its Jacobian is diagonal; for
complex values the rule is conjugate-linear, so tangent and result are conjugated), a linear op or one that
moves elements on the tangent, a bilinear op in each argument, and otherwise the vjp transposed twice:
v ↦ vᵀ·J is linear, and its own pullback at t is J·t.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import ndarray

from . import facade
from .levels import fresh_level
from .modes import change, modes, set_modes
from .node import LEAF, edge_target
from .value import InnerValue, TensorBase, Value, array_of, dtype_of, run, shape_of, wrap

if TYPE_CHECKING:
    from .op import Op
    from .terms import Covectors, Term, Terms


class Dual(InnerValue):
    """Primal and tangent of one forward-mode level; both are values of lower levels."""

    __slots__ = ("_level", "primal", "tangent")

    def __init__(self, primal: Term, tangent: Term, level: int) -> None:
        self.primal = primal
        self.tangent = tangent
        self._level = level

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the primal."""
        return shape_of(self.primal)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the NumPy dtype of the primal."""
        return dtype_of(self.primal)

    def array(self) -> ndarray:
        """Return the array of the primal."""
        return array_of(self.primal)

    def escaped(self) -> Term:
        """Return the primal."""
        return self.primal

    @classmethod
    def run(cls, op: Op, inputs: tuple[Any, ...], attrs: tuple[object, ...], level: int) -> Any:
        """Run the op on the primals, its jvp on the tangents."""
        mine = [isinstance(v, Dual) and v._level == level for v in inputs]
        primals = tuple(v.primal if m else v for v, m in zip(inputs, mine, strict=True))
        tangents = tuple(v.tangent if m else None for v, m in zip(inputs, mine, strict=True))
        out = run(op, primals, attrs)
        if not (op.derivable or op.jvp) or not _carries(out):
            return out
        tangent = jvp(op, primals, tangents, out, attrs)
        if isinstance(out, tuple):
            return tuple(o if t is None else cls(o, t, level) for o, t in zip(out, tangent, strict=True))
        return out if tangent is None else cls(out, tangent, level)


def _carries(out: Term | Terms) -> bool:
    """Return whether some output is of a dtype that has derivatives."""
    outs = out if isinstance(out, tuple) else (out,)
    return any(dtype_of(o).kind in "fcVW" for o in outs)


def jvp(op: Op, primals: Terms, tangents: Covectors, out: Any, attrs: tuple[object, ...]) -> Any:
    """Return the tangent of an op's output, or a tuple of them with None where an output carries none."""
    if op.jvp is not None:
        return op.jvp(primals, tangents, out, *attrs)
    if op.linear or op.kind in ("linear", "view", "gather"):
        return _linear(op, primals, tangents, attrs)
    if op.kind == "elementwise":
        return _elementwise(op, primals, tangents, out, attrs)
    if op.kind == "bilinear":
        return _bilinear(op, primals, tangents, attrs)
    return transposed_twice(op, primals, tangents, out, attrs)


def _elementwise(
    op: Op, primals: Terms, tangents: Covectors, out: Term, attrs: tuple[object, ...]
) -> Term | None:
    env = dict(zip(op.inputs, primals, strict=True)) | dict(zip(op.attrs, attrs, strict=True)) | {"out": out}
    env |= {f"shape_{n}": shape_of(p) for n, p in zip(op.inputs, primals, strict=True)}
    total = None
    complex_out = dtype_of(out).kind in "cW"
    for rule, names, t in zip(op.rules, op.layout.wanted, tangents, strict=True):
        if t is None or rule is None:
            continue
        if complex_out:
            conj = facade.conj
            part = conj(rule(conj(t), *(env[n] for n in names)))
        else:
            part = rule(t, *(env[n] for n in names))
        total = part if total is None else total + part
    if total is None:
        return None
    return fitted(total, out)


def fitted(tangent: Term | np.generic, out: Term) -> Term:
    """Return a tangent in the shape and dtype of the output it belongs to."""
    if isinstance(tangent, np.generic):
        tangent = np.asarray(tangent)
    if dtype_of(tangent) != dtype_of(out):
        tangent = facade.convert(tangent, dtype_of(out))
    if shape_of(tangent) != shape_of(out):
        tangent = tangent + (wrap(zeros(out)) if isinstance(tangent, TensorBase) else zeros(out))
    return tangent


def zeros(like: Term | Value) -> ndarray:
    """Return an array of zeros in the shape and dtype of any value."""
    return np.zeros(shape_of(like), dtype_of(like))


def _linear(op: Op, primals: Terms, tangents: Covectors, attrs: tuple[object, ...]) -> Any:
    if all(t is None for t in tangents):
        return None
    # Places and masks, which have no rule, stay as they are.
    fixed = {place for place, rule in enumerate(op.rules) if rule is None}
    given = tuple(
        p if k in fixed or not isinstance(p, (Value, ndarray)) else zeros(p) if t is None else t
        for k, (p, t) in enumerate(zip(primals, tangents, strict=True))
    )
    return run(op, given, attrs)


def _bilinear(op: Op, primals: Terms, tangents: Covectors, attrs: tuple[object, ...]) -> Term | None:
    total = None
    for i, t in enumerate(tangents):
        if t is not None:
            part = run(op, (*primals[:i], t, *primals[i + 1 :]), attrs)
            total = part if total is None else total + part
    return total


def transposed_twice(op: Op, primals: Terms, tangents: Covectors, out: Any, attrs: tuple[object, ...]) -> Any:
    """Return J·t as the pullback of v ↦ vᵀ·J, which is linear in v."""
    from .backward_task import Capture
    from .engine import run_backward

    if any(isinstance(v, Value) for v in (*primals, *tangents)):
        # A tensor above level 0 never holds a bare array: the inline calls would take it for one of level 0.
        level: int = fresh_level()
        primals, tangents = _lifted(primals), _lifted(tangents)
    else:
        level = 0
    before = change(grad=True)
    try:
        tensors = tuple(
            wrap(p, LEAF if t is not None else None, level) if isinstance(p, (Value, ndarray)) else p
            for p, t in zip(primals, tangents, strict=True)
        )
        outs = run(op, tensors, attrs)
        outs = outs if isinstance(outs, tuple) else (outs,)
        carried = [o for o in outs if o._node is not None]
        if not carried:
            return None if not isinstance(out, tuple) else (None,) * len(outs)
        from .calls import edge_of

        covectors = [wrap(wrap(zeros(o)) if level else zeros(o), LEAF, level) for o in carried]
        leaves = [(x, t) for x, t in zip(tensors, tangents, strict=True) if t is not None]
        roots = [edge_of(o) for o in carried]
        first = Capture([edge_of(x) for x, _ in leaves], [edge_target(e)[0] for e in roots])
        run_backward(
            list(zip(roots, covectors, strict=True)), keep_graph=True, create_graph=True, capture=first,
            accumulate=False
        )
        pulled = [
            (r, t)
            for r, (_, t) in zip(first.results, leaves, strict=True)
            if r is not None and r._node is not None
        ]
        ends = [edge_of(r) for r, _ in pulled]
        second = Capture([edge_of(c) for c in covectors], [edge_target(e)[0] for e in ends])
        set_modes(modes()._replace(grad=before.grad))
        run_backward(
            [(e, t) for e, (_, t) in zip(ends, pulled, strict=True)],
            keep_graph=False, create_graph=False, capture=second, accumulate=False, record_inner=True,
        )
    finally:
        set_modes(before)
    found = dict(zip(map(id, carried), second.results, strict=True))
    result = tuple(
        None if id(o) not in found else (zeros(o) if found[id(o)] is None else found[id(o)]) for o in outs
    )
    return result if isinstance(out, tuple) else result[0]


def _lifted(values: Covectors) -> tuple[Any, ...]:
    return tuple(wrap(v) if isinstance(v, ndarray) else v for v in values)
