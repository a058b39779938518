"""Loops over steps: a `scan` whose body has native code throughout becomes a native loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...core.body import Body
from ..index import ZERO
from ..lowered import Buffer, Call, Loop, Lowered
from ..program import Program
from .context import BOOL, Context, probe


def scan(
    context: Context, lower: Callable[[Program], Any], operands: Sequence[Lowered], attrs: tuple[Any, ...],
    wanted: Sequence[bool],
) -> list[Lowered | None] | None:  # fmt: skip
    """The lowering of a scan; None where its body calls array kernels.

    `wanted` says which outputs are used: the others are not computed.
    """
    body: Body
    body, carries, slices, length, reverse = attrs
    kept = [n for n in range(len(body.outputs)) if n < carries or wanted[n]]
    program = Program(
        body.inputs, body.equations, [body.outputs[n] for n in kept], body.constants, body.shapes, body.dtypes
    )
    result = lower(program)
    if any(isinstance(node, Call) for node in result.nodes):
        return None
    given, strides = [], []
    for n, operand in enumerate(operands):
        if carries <= n < carries + slices:
            buffer, stride = _sliced(context, operand)
            strides.append(stride)
            given.append(buffer)
        else:
            given.append(_buffer(context, operand))
    # A body's constants are held like any operand.
    for number, array in result.constants.items():
        result.inputs.append(result.buffers[number])
        given.append(context.constant(array))
    result.constants = {}
    outputs = []
    for n, buffer in zip(kept, result.outputs):
        shape = buffer.shape if n < carries else (length, *buffer.shape)
        outputs.append(context.buffer(shape, buffer.dtype))
    if result.checked:
        outputs.append(context.buffer((), BOOL))
        context.refuse(context.held(outputs[-1]))
    context.nodes.append(
        Loop(
            outputs[0], list({b.number: b for b in given}.values()), operands=tuple(given),
            outputs=tuple(outputs), body=result, carries=carries, slices=tuple(strides), length=length,
            reverse=reverse,
        )
    )  # fmt: skip
    found: dict[int, Buffer] = dict(zip(kept, outputs))
    return [context.held(found[n]) if n in found else None for n in range(len(body.outputs))]


def _buffer(context: Context, x: Lowered) -> Buffer:
    buffer = context.stored(x).buffer
    assert buffer is not None
    return buffer


def _sliced(context: Context, x: Lowered) -> tuple[Buffer, int]:
    """A buffer of slices, and the bytes from one to the next; where all are one number, one slice."""
    analysis = probe(x.body, x.shape)
    if x.buffer is None and not analysis.reads and not analysis.count:
        one = Lowered(x.shape[1:], x.dtype, lambda ops, indices: x.at(ops, (ZERO, *indices)))
        return _buffer(context, one), 0
    buffer = _buffer(context, x)
    return buffer, int(np.prod(x.shape[1:], dtype=np.int64)) * x.dtype.itemsize
