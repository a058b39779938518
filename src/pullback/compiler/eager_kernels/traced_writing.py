"""Write the native loops of `traced_kernels`, which loads this where no process before has.

An op, or the rule by which it is pulled back, is traced on a few rows, lowered and scheduled as any program.
If that gives one kernel, its function takes the rows from ``lo`` to ``hi``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

from numpy import ndarray

from ...core.levels import fresh_level
from ...core.op import TABLE, Op
from ...core.recorder import Equation, Recorder
from ...core.tracer import Tracer
from ...ops.comparison import gt, lt, where
from ...ops.elementwise import abs, exp, log
from ...ops.extreme import amax, amin, max_dim, min_dim
from ...ops.reduce import count_nonzero, nansum, prod_dim
from ...ops.softmax import log_softmax_pull, softmax_pull
from ...ops.structure import sum_dims
from ..emit import functions
from ..emit.emitter import Module
from ..emit.scalars import TYPES
from ..lower.equations import Result, lower
from ..lower.kernel import Kernel
from ..lower.kernel_writer import Emission, emit
from ..passes import parallel_rows
from ..passes.fusion import schedule
from ..program.program import Program
from ..runtime import cache, engine
from .traced_kernels import Array, LargeKernel, Own, Plan

#: Elements of the array that an elementwise op is traced on.
ELEMENTS = 1 << 14
#: Rows that an op along rows is traced on: a number that is not the length of a row, so that nothing is taken
#: for it, and so large that no sum over the rows is written out term by term.
ROWS = (37, 41)


def _large_kernel(
    lowered: Result, emission: Emission, module: Module, each: int, work: float | None
) -> LargeKernel:
    """Return the only kernel of a program, of which `each` rows go to one of the program's."""
    slots = {p.buffer.number: p for p in emission.partials}
    buffers = lowered.buffers
    strides = {}
    for number in emission.parameters:
        elements = buffers[number].size if number in slots else emission.row_buffers.get(number, 0)
        strides[number] = parallel_rows.stride(elements, buffers[number].dtype)
    kernel = emission.text
    for n, number in enumerate(emission.parameters):
        if not buffers[number].shape:
            # One number, which nothing that the loop writes changes, is read in front of it.
            kernel = kernel.replace(f"ptr %p{n},", f"ptr noalias %p{n},", 1)
    bodies = [
        f"define internal void @kernel{kernel}",
        parallel_rows.part_function("part", "kernel", [*strides.values()]).replace("internal ", "", 1),
    ]
    text = engine.whole(module.declarations.values(), functions.declarations(module, inline=True), bodies)
    given = [b.number for b in (*lowered.inputs, *lowered.outputs)]
    places = [*given, *(number for number, stride in strides.items() if stride)]
    own = [
        Own(stride, None if number not in slots else Array.of(slots[number].buffer),
            "" if number not in slots else slots[number].combine)
        for number, stride in strides.items() if stride
    ]  # fmt: skip
    plan = Plan(
        cache.key_of_text(repr(engine.DEFAULT), text), each, work or emission.work / emission.rows,
        [Array.of(b) for b in lowered.outputs], own,
        [places.index(number, len(given) if stride else 0) for number, stride in strides.items()],
    )  # fmt: skip
    return LargeKernel(plan, engine.named(plan.code, lambda: text, engine.DEFAULT))


def made(program: Program, rows: int, flat: bool, work: float | None = None) -> LargeKernel | None:
    """Return the kernel of a program over so many rows; None if it has several, or cuts it otherwise. Where
    the nanoseconds that a row takes are given, they are not estimated.
    """
    lowered = lower(program)
    steps = schedule(lowered.nodes)
    if len(steps) != 1 or not isinstance(steps[0], Kernel) or lowered.constants:
        return None
    kernel, module = steps[0], Module()
    emission = emit(kernel, module, {b.number for b in lowered.outputs}, any_rows=True)
    if emission.rows % rows or bool(kernel.settle().loops) == flat:
        return None
    known = {b.number for b in (*lowered.inputs, *lowered.outputs)} | emission.row_buffers.keys()
    if not known.issuperset(emission.parameters):
        return None
    return _large_kernel(lowered, emission, module, emission.rows // rows, work)


def _traced(
    function: Callable[..., Any], shapes: Sequence[tuple[int, ...] | None], dtypes: Sequence[Any]
) -> tuple[Program, list[int | None]]:
    """Return the program of a function of arrays, and which of its outputs each result is."""
    recorder = Recorder(fresh_level())
    inputs = [
        None if shape is None else recorder.new(shape, dtype)
        for shape, dtype in zip(shapes, dtypes, strict=True)
    ]
    results = function(*inputs)
    results = results if isinstance(results, tuple) else (results,)
    outputs: list[int] = []
    places: list[int | None] = []
    for result in results:
        if not isinstance(result, Tracer):
            places.append(None)
            continue
        if result.index not in outputs:
            outputs.append(result.index)
        places.append(outputs.index(result.index))
    given = [v.index for v in inputs if v is not None]
    program = Program.of(recorder, inputs=given, outputs=outputs)
    program.verify()
    return program, places


def _sums_and_products(g: Any, x: Any) -> tuple[Any, Any]:
    return sum_dims(g, (1,), False), sum_dims(g * x, (1,), False)


def _weights_of_rows(factor: Any, places: Any, seen: Any, products: Any) -> tuple[Any, Any]:
    scores = products * factor
    if seen is not None:
        scores = where(lt(places, seen), scores, -inf)
    top = amax(scores, (1,), True)
    weights = exp(scores - top)
    total = sum_dims(weights, (1,), True)
    return weights / total, log(total) + top


def _attention_pull(
    factor: Any, slope: Any, places: Any, seen: Any, products: Any, sums: Any, turned: Any, along: Any
) -> tuple[Any, Any]:
    weights = exp(products * factor - sums)
    if seen is not None:
        weights = where(lt(places, seen), weights, 0.0)
    return weights, weights * (turned - along) * slope


def clamped(x: Any, least: Any, most: object) -> Any:
    """Return elements between two numbers. No comparison holds of NaN, and of 0 and -0 the element stays."""
    raised = where(lt(x, least), least, x)
    return where(gt(raised, most), most, raised)


#: What array kernels ask for that is more than one op: functions of values.
COMPOSED: dict[str, Callable[..., Any]] = {
    "sums_and_products": _sums_and_products,
    "exponentials_of_rows": lambda x, out, g: exp(x - out) * g,
    "line_of_rows": lambda g, x, factor, slope, level: g * factor + x * slope + level,
    "scaled_rows": lambda x, factor, level: x * factor + level,
    "weights_of_rows": _weights_of_rows,
    "attention_pull": _attention_pull,
    "amax_along": lambda x, dim: amax(x, (dim,), False),
    "amin_along": lambda x, dim: amin(x, (dim,), False),
    "count_nonzero_along": lambda x, dim: count_nonzero(x, (dim,)),
    "max_along": lambda x, dim: max_dim(x, dim, False),
    "min_along": lambda x, dim: min_dim(x, dim, False),
    "nansum_along": lambda x, dim: nansum(x, (dim,), False),
    "prod_along": lambda x, dim: prod_dim(x, dim, False),
    "sizes_along": lambda x, dim: sum_dims(abs(x), (dim,), False),
    "squares_along": lambda x, dim: sum_dims(x * x, (dim,), False),
    "squares_about_along": lambda x, about, dim: sum_dims((x - about) * (x - about), (dim,), False),
    "softmax_adjoint": softmax_pull,
    "log_softmax_adjoint": log_softmax_pull,
}


def flat_kernel(
    function: Callable[..., Any], dtypes: Sequence[Any], least: int = 1, numbers: Sequence[int] = (),
    work: float | None = None,
) -> Any:  # fmt: skip
    """Return a kernel for a function of at least so many elementwise ops, of which the operands at some
    places are one number each; None if it is no such function.
    """
    if any(d not in TYPES for d in dtypes):
        return None
    try:
        shapes = [() if n in numbers else (ELEMENTS,) for n in range(len(dtypes))]
        program, places = _traced(function, shapes, dtypes)
    except RuntimeError:
        # The numbers decide what the rule does, or it raises, which it will do again where it runs.
        return None
    computed = set(program.outputs).isdisjoint(program.inputs) and len(program.equations) >= least
    casts = [e.op for e in program.equations] == ["cast"]
    if not computed or not (casts or all(_goes_by_elements(e) for e in program.equations)):
        return None
    kernel = made(program, ELEMENTS, True, work)
    return None if kernel is None else (kernel, places)


def _goes_by_elements(equation: Equation) -> bool:
    op = TABLE[equation.op]
    return op.kind == "elementwise" or (op.each is not None and equation.attrs[-1] == "none")


def row_kernel(
    name: str, attrs: tuple[Any, ...], shapes: Sequence[Any], dtypes: Sequence[Any], per_row: Sequence[bool]
) -> Any:
    """Return a kernel for an op, or what `COMPOSED` has, along rows; None if it gives no single one."""
    call = COMPOSED.get(name) or TABLE[name].call
    if any(d is not None and d not in TYPES for d in dtypes):
        return None
    lengths = {prod(s) for s in shapes if s is not None} | {n for s in shapes if s is not None for n in s}
    rows = next(n for n in ROWS if n not in lengths)
    whole = [None if s is None else (rows, *s) if own else s for s, own in zip(shapes, per_row, strict=True)]
    program, places = _traced(lambda *xs: call(*xs, *attrs), whole, dtypes)
    kernel = made(program, rows, False)
    return None if kernel is None else (kernel, places)


def _rule(op: Op, saved: tuple[Any, ...], needs: tuple[bool, ...]) -> Callable[..., Any]:
    """Return an op's rules as a function of the covector and the saved arrays."""
    layout = op.layout

    def pulled(g: object, *values: Any) -> tuple[Any, ...]:
        arrays = iter(values)
        given = tuple(next(arrays) if type(v) is ndarray else v for v in saved)
        return tuple(
            rule(g, *pick(given)) if need and rule is not None else None
            for rule, pick, need in zip(op.rules, layout.pickers, needs, strict=True)
        )

    return pulled


def flat_rule(op: Op, saved: tuple[Any, ...], needs: tuple[bool, ...], arrays: Sequence[ndarray]) -> Any:
    """Return a kernel for the rules of an elementwise op; None if they are no more than one op."""
    # One ufunc passes through memory once as it is.
    return flat_kernel(_rule(op, saved, needs), [a.dtype for a in arrays], least=2)
