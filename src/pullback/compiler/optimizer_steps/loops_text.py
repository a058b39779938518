"""Write the native loop of an optimizer's step, from what its `update` did to stand-ins.

It is written with the forms of elements that programs are made of: the bits are NumPy's. The numbers of a
step are read at run time, so a loop serves every step, and parameters of any size.
"""

from typing import Any

import numpy as np

from ...core.op import TABLE
from ..eager_kernels.jobs import APART, loop_variable
from ..emit.emitter import Emitter, Module
from ..emit.scalars import FLOAT64, TYPES, Value, computing
from ..lower.elementwise import Form, form
from ..runtime import engine
from ..runtime.thread_pool import serial


class _Number(int):
    """The place of a number among those of a step."""


class _Plain(Emitter):
    """Take constants that may be numbers of the step."""

    def constant(self, value: Any, dtype: np.dtype[Any]) -> Value:
        """Return a number."""
        if type(value) is not _Number:
            return super().constant(value, dtype)
        key = f"number {value} as {dtype}"
        found = self.known(key)
        if found is None:
            exact = Value(self.read_entry("double", "%numbers", str(int(value))), FLOAT64)
            found = self.remember(key, self.cast(exact, dtype))
        return found


#: Steps whose op looks at the numbers of a step, which vary: `lerp` is from one end and from the other, by
#: the weight of the farther.
_STEPS: dict[str, Form] = {
    "clamp": lambda ops, x, low, high: ops.minimum(high, ops.maximum(low, x)),
    "lerp_far": lambda ops, x, y, rest: ops.sub(y, ops.mul(ops.sub(y, x), rest)),
    "lerp_near": lambda ops, x, y, weight: ops.add(x, ops.mul(weight, ops.sub(y, x))),
    "masked_fill": lambda ops, x, mask, value: ops.select(mask, value, x),
}

_ALL = serial("@all(ptr %context, i64 %parts) nounwind #0", "@part")


def text_of(written: Any, dtype: np.dtype[Any]) -> str:
    """Return the text of the module that does what was written down."""
    ops = _Plain(Module())
    places = written.places
    for n, name in enumerate(("rows", "stretches", "numbers")):
        ops.line(f"%at_{name} = getelementptr ptr, ptr %context, i64 {n}")
        ops.line(f"%{name} = load ptr, ptr %at_{name}")
    ops.line("%stretch = getelementptr [3 x i64], ptr %stretches, i64 %part")
    for n, name in enumerate(("row", "lo", "hi")):
        ops.line(f"%at_{name} = getelementptr i64, ptr %stretch, i64 {n}")
        ops.line(f"%{name} = load i64, ptr %at_{name}")
    ops.line(f"%pointers = getelementptr [{places} x ptr], ptr %rows, i64 %row")
    for n in range(places):
        ops.line(f"%at_{n} = getelementptr ptr, ptr %pointers, i64 {n}")
        ops.line(f"%array_{n} = load ptr, ptr %at_{n}")
    exact = computing(dtype)
    # Before the loop: what is known there is known in it.
    for operands in written.steps:
        for operand in operands[1:]:
            if operand < 0:
                ops.constant(_Number(~operand), exact)
    with ops.loop(loop_variable("n"), "%lo", "%hi", innermost="1"):
        _body(ops, written, dtype, exact)
    head = "define void @part(ptr %context, i64 %part) nounwind #0 {"
    part = "\n".join([head, "entry:", *ops.slots, *ops.lines, "  ret void", "}"])
    return engine.whole(ops.module.declarations.values(), [part, _ALL])


def _body(ops: _Plain, written: Any, dtype: np.dtype[Any], exact: np.dtype[Any]) -> None:
    """Write one element: read its values, do the steps one after another, write the results."""
    type_ = TYPES[dtype]
    values = []
    for n in range(written.places):
        values.append(Value(ops.read_entry(type_, f"%array_{n}", ops.counters["n"], more=APART), dtype))

    def operand(at: int) -> Value:
        if at < 0:
            return ops.constant(_Number(~at), exact)
        value = values[at]
        return ops.cast(value, exact) if value.dtype == dtype else value

    for name, *operands in written.steps:
        step = _STEPS.get(name) or form(TABLE[name])
        result = step(ops, *map(operand, operands))
        # An op on halves rounds its result to a half.
        values.append(ops.cast(result, dtype) if result.dtype == exact else result)
    for n, at in enumerate(written.results):
        if at != n:
            ops.write_entry(type_, values[at].name, f"%array_{n}", ops.counters["n"], more=APART)
