"""Loops and branches whose bodies have native code throughout become native ones.

A lowering here takes the function that lowers a program, operands, the equation's attributes, and which of
its outputs are used; it gives None where a body calls array kernels.
"""

from collections.abc import Callable, Sequence
from typing import Any

from ...core.body import Body
from ..program.program import Program
from .buffer import Buffer
from .context import BOOL, Context, distinct
from .filling import Call
from .handlers import PARTS, Analysis
from .index import ZERO, Variable, atom_index, strides_of
from .lowered import Branch, Loop, Lowered

#: Buffers from this number on are read by nothing.
UNREAD = 1 << 40

Lower = Callable[[Program], Any]
Values = list[Lowered | None]


def scan(
    context: Context, lower: Lower, operands: Sequence[Lowered], attrs: tuple[Any, ...],
    wanted: Sequence[bool],
) -> Values | None:  # fmt: skip
    """Return a scan. Stacked outputs that are not used are not computed."""
    body, carries, slices, length, reverse = attrs
    kept = [n for n in range(len(body.outputs)) if n < carries or wanted[n]]
    if (result := _native(lower, body, kept)) is None:
        return None
    last = carries + slices
    sliced = [_sliced(context, x) for x in operands[carries:last]]
    given = [_buffer(context, x) for x in operands[:carries]]
    given += [buffer for buffer, _ in sliced]
    given += [_buffer(context, x) for x in operands[last:]]
    given += _constants(context, [result])
    shapes = [b.shape if n < carries else (length, *b.shape) for n, b in zip(kept, result.outputs)]
    outputs = _outputs(context, result.outputs, shapes, result.checked)
    context.nodes.append(
        Loop(
            outputs[0], distinct(given), operands=tuple(given), outputs=tuple(outputs), bodies=[result],
            carries=carries, slices=tuple(place for _, place in sliced), length=length, reverse=reverse,
        )
    )  # fmt: skip
    found = dict(zip(kept, outputs))
    return [context.held(found[n]) if n in found else None for n in range(len(body.outputs))]


def while_loop(
    context: Context, lower: Lower, operands: Sequence[Lowered], attrs: tuple[Any, ...],
    wanted: Sequence[bool],
) -> Values | None:  # fmt: skip
    """Return a loop whose number of steps a condition tells."""
    condition, body, carries = attrs
    results = [_native(lower, body), _native(lower, condition)]
    if results[0] is None or results[1] is None or results[1].checked:
        return None
    given = [_buffer(context, x) for x in operands] + _constants(context, results)
    shapes = [b.shape for b in results[0].outputs[:carries]]
    outputs = _outputs(context, results[0].outputs, shapes, results[0].checked)
    context.nodes.append(
        Loop(
            outputs[0], distinct(given), operands=tuple(given), outputs=tuple(outputs), bodies=results,
            carries=carries,
        )
    )  # fmt: skip
    return [context.held(b) for b in outputs[:carries]]


def cond(
    context: Context, lower: Lower, operands: Sequence[Lowered], attrs: tuple[Any, ...],
    wanted: Sequence[bool],
) -> Values | None:  # fmt: skip
    """Return a branch. Outputs that are not used are not computed."""
    kept = [n for n in range(len(wanted)) if wanted[n]]
    results = [_native(lower, body, kept) for body in attrs]
    if not kept or results[0] is None or results[1] is None:
        return None
    given = [_buffer(context, x) for x in operands] + _constants(context, results)
    made = results[0].outputs[: len(kept)]
    outputs = _outputs(context, made, [b.shape for b in made], results[0].checked or results[1].checked)
    context.nodes.append(
        Branch(outputs[0], distinct(given), operands=tuple(given), outputs=tuple(outputs), bodies=results)
    )
    found = dict(zip(kept, outputs))
    return [context.held(found[n]) if n in found else None for n in range(len(wanted))]


LOWERINGS = {"scan": scan, "while_loop": while_loop, "cond": cond}


def _native(lower: Lower, body: Body, kept: Sequence[int] | None = None) -> Any:
    """Return the body lowered, with some of its outputs; None where it calls array kernels."""
    outputs = body.outputs if kept is None else [body.outputs[n] for n in kept]
    result = lower(Program.of(body, outputs=outputs))
    return None if any(isinstance(node, Call) for node in result.nodes) else result


def _constants(context: Context, results: Sequence[Any]) -> list[Buffer]:
    """Return the bodies' constants as further operands, which every body takes."""
    given = []
    for result in results:
        for number, array in result.constants.items():
            given.append(context.constant(array))
            for other in results:
                mine = other is result
                buffer = result.buffers[number]
                # The others take a buffer of which nothing is read.
                unread = Buffer(UNREAD + len(given), buffer.shape, buffer.dtype)
                other.inputs.append(buffer if mine else unread)
        result.constants = {}
    return given


def _outputs(
    context: Context, buffers: Sequence[Buffer], shapes: Sequence[tuple[int, ...]], checked: bool
) -> list[Buffer]:
    outputs = [context.buffer(shape, b.dtype) for b, shape in zip(buffers, shapes)]
    if checked:
        outputs.append(context.buffer((), BOOL))
        context.refuse(context.held(outputs[-1]))
    return outputs


def _buffer(context: Context, x: Lowered) -> Buffer:
    buffer = context.stored(x).buffer
    assert buffer is not None
    return buffer


def _sliced(context: Context, x: Lowered) -> tuple[Buffer, tuple[int, int]]:
    """Return a buffer of slices, and the bytes from one to the next and to the first.

    A part of a buffer is sliced where it is; where all slices are one number, there is one slice.
    """
    size = x.dtype.itemsize
    if x.dtype in PARTS:
        return _buffer(context, x), (strides_of(x.shape)[0] * size, 0)
    variables = [Variable(f"i{n}", extent) for n, extent in enumerate(x.shape)]
    analysis = Analysis()
    term = x.body(analysis, tuple(atom_index(v) for v in variables))
    if not analysis.reads and not analysis.count:
        return _buffer(context, x.rearranged(x.shape[1:], lambda at: (ZERO, *at))), (0, 0)
    if term.read is not None and len(analysis.reads) == 1 and not analysis.count:
        index = term.read.index
        steps = [index.coefficient(v) if v.extent > 1 else 0 for v in variables]
        inside = [s if v.extent > 1 else 0 for s, v in zip(strides_of(x.shape[1:]), variables[1:])]
        if steps[0] is not None and steps[1:] == inside:
            return term.read.buffer, (steps[0] * size, index.constant * size)
    buffer = _buffer(context, x)
    return buffer, (strides_of(x.shape)[0] * size, 0)
