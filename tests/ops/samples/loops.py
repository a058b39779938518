"""Samples of loops and branches: the ops alone, whose derivatives are made in `func`."""

from __future__ import annotations

import numpy as np

from pullback.core.body import Body
from pullback.core.op import of
from pullback.core.recorder import Equation, Reference
from pullback.ops import loops

from . import Sample, normal

_F64 = np.dtype(np.float64)


def _body(count: int, *equations: tuple[str, tuple[object, ...]], outputs: tuple[int, ...]) -> Body:
    """A body over vectors of three numbers: equation n makes value ``count + n``."""
    made = [
        Equation(op, tuple(Reference(o) if type(o) is int else o for o in operands), (), (count + n,), False)
        for n, (op, operands) in enumerate(equations)
    ]
    shapes: list[tuple[int, ...]] = [(3,)] * (count + len(made))
    dtypes = [np.dtype(bool) if e[0] == "lt" else _F64 for e in [("", ())] * count + list(equations)]
    for n, (op, _) in enumerate(equations):
        if op in ("sum_all", "lt"):
            shapes[count + n] = ()
    return Body(range(count), made, outputs, {}, shapes, dtypes)


#: ``c * x, c + x``.
_STEP = _body(2, ("mul", (0, 1)), ("add", (0, 1)), outputs=(2, 3))
_BELOW = _body(1, ("sum_all", (0,)), ("lt", (1, 9.0)), outputs=(2,))
_MORE = _body(1, ("exp", (0,)), outputs=(1,))
_SIN = _body(1, ("sin", (0,)), outputs=(1,))


def _scanned(c: np.ndarray, xs: np.ndarray, *attrs: object) -> tuple[np.ndarray, np.ndarray]:
    ys = []
    for x in xs[::-1] if attrs[-1] else xs:
        ys.append(c + x)
        c = c * x
    return c, np.stack(ys[::-1] if attrs[-1] else ys)


def _looped(c: np.ndarray, *_: object) -> tuple[np.ndarray]:
    while c.sum() < 9:
        c = np.exp(c)
    return (c,)


SCAN, WHILE_LOOP, COND = (of(call).name for call in (loops.scan, loops.while_loop, loops.cond))

SAMPLES = [
    Sample(SCAN, (normal(3), normal(4, 3)), (_STEP, 1, 1, 4, False), reference=_scanned),
    Sample(SCAN, (normal(3), normal(4, 3)), (_STEP, 1, 1, 4, True), reference=_scanned),
    Sample(WHILE_LOOP, (normal(3),), (_BELOW, _MORE, 1), reference=_looped),
    Sample(
        COND, (np.array(True), normal(3)), (_SIN, _MORE), reference=lambda flag, x, *_: (np.sin(x),)
    ),
    Sample(
        COND, (np.array(False), normal(3)), (_SIN, _MORE), reference=lambda flag, x, *_: (np.exp(x),)
    ),
]
