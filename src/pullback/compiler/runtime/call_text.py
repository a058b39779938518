"""Calls of array kernels as JSON, for programs that are kept on disk or frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy import ndarray

from ...core.op import TABLE
from ...core.traced_layout import without_memory
from ..lower.buffer import Buffer
from ..lower.filling import Call
from ..program.text import kind, read_kind, read_value, value_as_text


def told(step: Call, generators: Sequence[Any]) -> dict[str, Any]:
    """Return a call as JSON, with what it draws from by its place among some generators.

    Raises `Unprintable` where it holds something without a text, a ValueError where it draws from another
    generator.
    """
    attrs, found = tuple(step.attrs), {}
    if TABLE[step.op].draws:
        found = {"generator": [*map(id, generators)].index(id(attrs[-1]))}
        attrs = attrs[:-1]
    return found | {
        "op": step.op, "attrs": value_as_text(attrs), "outputs": [b.number for b in step.outputs],
        "operands": [_operand_told(o) for o in step.operands], "several": step.several,
    }  # fmt: skip


def _operand_told(operand: object) -> Any:
    if isinstance(operand, Buffer):
        return operand.number
    if isinstance(operand, ndarray):
        # A draw looks at shape, dtype and strides alone.
        return {"like": kind(operand.shape, operand.dtype), "strides": list(operand.strides)}
    return value_as_text(operand)


def read(about: Mapping[str, Any], buffers: Mapping[int, Buffer], generators: Sequence[Any]) -> Call:
    """Return the call that a JSON object tells, on buffers by their numbers."""
    operands = tuple(buffers[o] if isinstance(o, int) else operand(o) for o in about["operands"])
    outputs = tuple(buffers[n] for n in about["outputs"])
    return Call(
        outputs[0], [o for o in operands if isinstance(o, Buffer)], op=about["op"], operands=operands,
        attrs=attributes(about, generators), outputs=outputs, several=about["several"],
    )  # fmt: skip


def attributes(about: Mapping[str, Any], generators: Sequence[Any]) -> tuple[Any, ...]:
    """Return the attributes of a call."""
    attrs: tuple[object, ...] = read_value(about["attrs"])
    return (*attrs, generators[about["generator"]]) if "generator" in about else attrs


def operand(about: Any) -> Any:
    """Return an operand that is no buffer: a plain value, or an array of no contents that lies so."""
    if not isinstance(about, dict):
        return read_value(about)
    return without_memory(*read_kind(about["like"]), tuple(about["strides"]))
