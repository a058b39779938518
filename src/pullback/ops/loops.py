"""Loops and branches as ops: `scan`, `while_loop` and `cond`, whose attributes are bodies.

The kernels interpret the bodies. Derivatives and batches of a loop are loops again, over other bodies; they
are made above the ops, in `func.loop_functions`, whose calls stand in for the ops' own.
"""

from typing import Any

import numpy as np
from numpy import ndarray

from ..core.body import Body
from ..core.op import op


def _scan(
    tensors: tuple[ndarray, ...], /, body: Body, carries: int, slices: int, length: int, reverse: bool
) -> tuple[ndarray, ...]:
    carry = [np.array(v) for v in tensors[:carries]]
    xs, held = tensors[carries : carries + slices], tensors[carries + slices :]
    stacked = [np.empty((length, *shape), dtype) for shape, dtype in body.kinds(body.outputs[carries:])]
    for step in reversed(range(length)) if reverse else range(length):
        outputs = body.evaluate([*carry, *(x[step, ...] for x in xs), *held])
        carry = [np.array(v) for v in outputs[:carries]]
        for whole, part in zip(stacked, outputs[carries:], strict=True):
            whole[step] = part
    return (*carry, *stacked)


def _scan_shape(*args: Any) -> list[Any]:
    body, carries, _, length, _ = args[-5:]
    kinds = body.kinds(body.outputs)
    return kinds[:carries] + [((length, *shape), dtype) for shape, dtype in kinds[carries:]]


#: ``carry, ys[t] = body(carry, xs[t], held)`` for t = 0, 1, …; gives the last carry and the stacked ys. Of
#: `tensors` the first `carries` are the carry, the next `slices` are the xs, the others are held.
scan = op("scan", _scan, variadic=True, many=True, shape=_scan_shape)


def _while_loop(
    tensors: tuple[ndarray, ...], /, condition: Body, body: Body, carries: int
) -> tuple[ndarray, ...]:
    carry, held = [np.array(v) for v in tensors[:carries]], tensors[carries:]
    while condition.evaluate([*carry, *held])[0]:
        carry = [np.array(v) for v in body.evaluate([*carry, *held])]
    return tuple(carry)


#: ``while condition(carry, held): carry = body(carry, held)``.
while_loop = op(
    "while_loop", _while_loop, variadic=True, many=True,
    shape=lambda *args: args[-2].kinds(args[-2].outputs),
)  # fmt: skip


def _cond(tensors: tuple[ndarray, ...], /, true_body: Body, false_body: Body) -> tuple[ndarray, ...]:
    chosen = true_body if tensors[0] else false_body
    return tuple([np.array(v) for v in chosen.evaluate(tensors[1:])])


#: ``true_body(*tensors[1:]) if tensors[0] else false_body(*tensors[1:])``.
cond = op("cond", _cond, variadic=True, many=True, shape=lambda *args: args[-1].kinds(args[-1].outputs))
