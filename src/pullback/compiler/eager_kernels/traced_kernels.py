"""Native loops for eager ops on large arrays: one kernel, lowered from the op itself, for any number of
rows.

An op, or the rule by which it is pulled back, is traced on a few rows, lowered and scheduled as any program.
If that gives one kernel, its function takes the rows from ``lo`` to ``hi``, and so serves arrays of any
length: elements of a flat array where the op goes element by element, rows of a fixed length where it goes
along one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

import numpy as np
from numpy import ndarray

from ...array import locks
from ...array.elementwise import flat_views
from ...core.levels import fresh_level
from ...core.op import TABLE, Op
from ...core.recorder import Equation, Recorder
from ...core.tracer import Tracer
from ...ops.comparison import lt, where
from ...ops.elementwise import abs, exp, log
from ...ops.extreme import amax, amin, max_dim, min_dim
from ...ops.reduce import count_nonzero, nansum, prod_dim
from ...ops.softmax import log_softmax_pull, softmax_pull
from ...ops.structure import sum_dims
from ..emit import functions
from ..emit.emitter import Module
from ..emit.scalars import TYPES
from ..lower.buffer import Buffer
from ..lower.equations import Result, lower
from ..lower.kernel import Kernel
from ..lower.kernel_writer import Emission, emit
from ..passes import parallel_rows
from ..passes.fusion import schedule
from ..program.program import Program
from ..runtime import engine
from ..runtime.shared_kernels import address
from .jobs import Parts

#: Elements of the array that an elementwise op is traced on.
ELEMENTS = 1 << 14
#: Rows that an op along rows is traced on: a number that is not the length of a row, so that nothing is taken
#: for it, and so large that no sum over the rows is written out term by term.
ROWS = (37, 41)

#: Kernels of one op at most, where numbers or lengths of sequences tell them apart.
MOST_NUMBERS = 16

class LargeKernel:
    """A kernel and how it is called.

    Parameters
    ----------
    lowered : Result
    emission : Emission
        Of the only kernel of the program.
    module : Module
    each : int
        How many of the kernel's rows go to one of the program's.
    """

    def __init__(self, lowered: Result, emission: Emission, module: Module, each: int) -> None:
        self.each = each
        self.work = emission.work / emission.rows
        self.inputs, self.outputs = lowered.inputs, lowered.outputs
        self.emission = emission
        slots = {p.buffer.number: p for p in emission.partials}
        self.partials = slots
        buffers = lowered.buffers
        self.strides = []
        for number in emission.parameters:
            elements = emission.row_buffers.get(number, 0)
            if number in slots:
                elements = buffers[number].size
            self.strides.append(parallel_rows.stride(elements, buffers[number].dtype))
        bodies = [
            f"define internal void @kernel{emission.text}",
            parallel_rows.part_function("part", "kernel", self.strides).replace("internal ", "", 1),
        ]
        text = engine.whole(module.declarations.values(), functions.declarations(module), bodies)
        self._library = engine.Library(text, {}, functions.addresses)
        self._parts = Parts(self._library.address("part"))
        given = [b.number for b in (*lowered.inputs, *lowered.outputs)]
        strided = dict(zip(emission.parameters, self.strides, strict=True))
        #: What each part has a place of its own for, in memory made for the call: bytes of such a place, and
        #: the sum that is gathered there, if it is one.
        self._own = [(stride, slots.get(number)) for number, stride in strided.items() if stride]
        places = [*given, *(number for number, stride in strided.items() if stride)]
        #: For each parameter which of these it is: inputs, outputs, and what parts have of their own.
        self._order = [
            places.index(number, len(given) if stride else 0) for number, stride in strided.items()
        ]
        self._context: Any = ctypes.c_int64 * (2 + len(self._order))

    def __call__(self, arrays: Sequence[ndarray | None], rows: int) -> dict[int, ndarray]:
        """Run on `rows` rows of the inputs and outputs, None where it is gathered; return what was gathered
        over the rows, by buffer.
        """
        rows *= self.each
        parts = parallel_rows.count(rows, self.work * rows, bool(self.partials))
        own = [
            np.empty((parts, stride), np.uint8) if parts > 1 or partial is None
            else np.empty(partial.buffer.shape, partial.buffer.dtype)
            for stride, partial in self._own
        ]  # fmt: skip
        places = [*arrays, *own]
        pointers = [address(places[at]) for at in self._order]
        self._parts.run(self._context(rows, parts, *pointers), parts)
        return {
            partial.buffer.number: (
                values if parts == 1 else _joined(values, partial.buffer, partial.combine)
            )
            for values, (_, partial) in zip(own, self._own, strict=True) if partial is not None
        }  # fmt: skip


_UFUNCS = {"sum": np.add, "prod": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
           "any": np.logical_or, "all": np.logical_and}  # fmt: skip


def _joined(slots: ndarray, buffer: Buffer, combine: str) -> ndarray:
    values = slots.view(buffer.dtype)[:, : buffer.size]
    wide = np.float64 if combine == "sum" and buffer.dtype == np.float32 else None
    result = _UFUNCS[combine].reduce(values, axis=0, dtype=wide)
    return result.astype(buffer.dtype, copy=False).reshape(buffer.shape)


def made(program: Program, rows: int, flat: bool) -> LargeKernel | None:
    """Return the kernel of a program over so many rows; None if it has several, or cuts it otherwise."""
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
    return LargeKernel(lowered, emission, module, emission.rows // rows)


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
    program = Program(
        given, recorder.equations, outputs, recorder.constants, recorder.shapes, recorder.dtypes
    )
    program.verify()
    return program, places


class TracedKernels:
    """The kernels, each made when it is first asked for. They give None for arrays that they do not take."""

    def __init__(self) -> None:
        self._made: dict[Any, Any] = {}
        self._lock = locks.reentrant_lock()
        self._begin()
        locks.in_child(self._begin)

    def _begin(self) -> None:
        """Forget the kernels being made, of which there are none at the start, and which no thread of a
        forked child would finish.
        """
        self._making = False

    def _kernel(self, key: Any, make: Callable[[], Any]) -> Any:
        found = self._made.get(key, self)
        if found is self:
            with self._lock:
                if self._making:
                    # Tracing asks kernels for the shapes of results: what they compute is thrown away.
                    return None
                found = self._made.get(key, self)
                if found is self:
                    self._making = True
                    try:
                        found = self._made[key] = make()
                    finally:
                        self._making = False
        return found

    def elementwise(self, name: str, arrays: Sequence[ndarray], attrs: tuple[object, ...]) -> ndarray | None:
        """Return the op on arrays of one shape."""
        key = (name, repr(attrs), *(a.dtype for a in arrays))
        if attrs and not self._has_room(key):
            return None

        def make() -> Any:
            op = TABLE[name]
            return _flat_kernel(lambda *xs: op.call(*xs, *attrs), [a.dtype for a in arrays])

        results = self._flat(key, make, arrays)
        return None if results is None else results[0]

    def mapped(
        self, function: Callable[..., Any], g: ndarray, arrays: Sequence[ndarray | None],
        attrs: tuple[Any, ...],
    ) -> ndarray | None:  # fmt: skip
        """Return a function, of elementwise ops, of a covector, which may be one number, and of arrays of one
        shape and dtype.
        """
        present = [x for x in arrays if x is not None]
        spread = g.shape != present[0].shape or 0 in g.strides
        one = g[(0,) * g.ndim] if spread else g
        key = (function, repr(attrs), spread, g.dtype, *(x is None for x in arrays))
        other = g.dtype != present[0].dtype or (spread and any(g.strides))
        if other or (attrs and not self._has_room(key)):
            return None

        def called(g: Any, *given: Any) -> Any:
            values = iter(given)
            return function(g, *(None if x is None else next(values) for x in arrays), *attrs)

        found = self._kernel(key, lambda: _flat_kernel(called, [g.dtype] * (1 + len(present)), 1, spread))
        flats = None if found is None else flat_views(present if spread else [g, *present])
        if flats is None:
            return None
        kernel, places = found
        outputs = [np.empty_like(present[0], dtype=b.dtype) for b in kernel.outputs]
        kernel([*([np.asarray(one)] if spread else ()), *flats, *outputs], present[0].size)
        return outputs[places[0]]

    def _has_room(self, key: Any) -> bool:
        """Return whether there is a kernel for an op with these numbers, or may be one more.

        A number, or a length of rows, that is another in each call is not worth one each.
        """
        if key in self._made:
            return True
        # Another thread may add one while they are counted.
        return sum(other[0] == key[0] for other in list(self._made)) < MOST_NUMBERS

    def _flat(self, key: Any, make: Callable[[], Any], arrays: Sequence[ndarray]) -> list[Any] | None:
        found = self._kernel(key, make)
        flats = None if found is None else flat_views(arrays)
        if flats is None:
            return None
        kernel, places = found
        outputs = [np.empty_like(arrays[0], dtype=b.dtype) for b in kernel.outputs]
        kernel([*flats, *outputs], arrays[0].size)
        return [None if at is None else outputs[at] for at in places]

    def rows(
        self, name: str, operands: Sequence[ndarray | None], attrs: tuple[Any, ...], per_row: Sequence[bool]
    ) -> tuple[ndarray, ...] | None:
        """Return the op on operands of which those marked in `per_row` have a row's part at each place of
        their first axis.
        """
        shapes = [
            None if x is None else x.shape[1:] if own else x.shape
            for x, own in zip(operands, per_row, strict=True)
        ]
        dtypes = [None if x is None else x.dtype for x in operands]
        key = (name, repr(attrs), *shapes, *dtypes, *per_row)
        if name in _OF_ANY_LENGTH and not self._has_room(key):
            return None

        def make() -> Any:
            call = COMPOSED.get(name) or TABLE[name].call
            return _row_kernel(lambda *xs: call(*xs, *attrs), shapes, dtypes, per_row)

        found = self._kernel(key, make)
        return None if found is None else tuple(self._along(found, operands, per_row))

    def _along(self, found: Any, operands: Sequence[ndarray | None], per_row: Sequence[bool]) -> list[Any]:
        kernel, places = found
        rows = next(len(x) for x, own in zip(operands, per_row, strict=True) if own and x is not None)
        given = [np.ascontiguousarray(x) for x in operands if x is not None]
        outputs = [
            None if b.number in kernel.partials else np.empty((rows, *b.shape[1:]), b.dtype)
            for b in kernel.outputs
        ]
        gathered = kernel([*given, *outputs], rows)
        results = [
            gathered[b.number] if y is None else y for b, y in zip(kernel.outputs, outputs, strict=True)
        ]
        return [None if at is None else results[at] for at in places]

    def pull(
        self, op: Op, g: ndarray, saved: tuple[Any, ...], needs: tuple[bool, ...]
    ) -> tuple[Any, ...] | None:
        """Return the covectors of an op's inputs, from that of its result and what its node saved."""
        if op.kind != "elementwise":
            return None
        end = 3 * op.layout.count
        values, others = saved[:end:3], saved[end:]
        # Traced values come here too, beside a covector that is an array.
        if not all(v is None or type(v) is ndarray for v in values):
            return None
        arrays = [g, *(v for v in values if v is not None)]
        if any(a.shape != g.shape for a in arrays) or not all(a.dtype in _REALS for a in arrays[:1]):
            return None
        absent = tuple(v is None for v in values)
        key = (op.name, needs, absent, repr(others), *(a.dtype for a in arrays))
        if any(type(v) is tuple for v in others):
            return None
        if any(type(v) is float for v in others) and not (op.chained and self._has_room(key)):
            return None
        results = self._flat(key, lambda: _flat_rule(op, saved, needs, arrays), arrays)
        return None if results is None else tuple(results)


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

#: Those of rows whose length is another in each call where a sequence grows.
_OF_ANY_LENGTH = (
    "softmax", "log_softmax", "softmax_adjoint", "log_softmax_adjoint", "weights_of_rows", "attention_pull",
    "logsumexp", "exponentials_of_rows", *(name for name in COMPOSED if name.endswith("_along")),
)  # fmt: skip

_REALS = (np.dtype(np.float32), np.dtype(np.float64))


def _flat_kernel(
    function: Callable[..., Any], dtypes: Sequence[Any], least: int = 1, spread: bool = False
) -> Any:
    """Return a kernel for a function of at least so many elementwise ops, of which the first operand is one
    number if it is `spread`; None if it is no such function.
    """
    if any(d not in TYPES for d in dtypes):
        return None
    try:
        shapes = [() if spread and not n else (ELEMENTS,) for n in range(len(dtypes))]
        program, places = _traced(function, shapes, dtypes)
    except RuntimeError:
        # The numbers decide what the rule does, or it raises, which it will do again where it runs.
        return None
    computed = set(program.outputs).isdisjoint(program.inputs) and len(program.equations) >= least
    casts = [e.op for e in program.equations] == ["cast"]
    if not computed or not (casts or all(_goes_by_elements(e) for e in program.equations)):
        return None
    kernel = made(program, ELEMENTS, True)
    return None if kernel is None else (kernel, places)


def _goes_by_elements(equation: Equation) -> bool:
    op = TABLE[equation.op]
    return op.kind == "elementwise" or (op.each is not None and equation.attrs[-1] == "none")


def _row_kernel(
    function: Callable[..., Any], shapes: Sequence[Any], dtypes: Sequence[Any], per_row: Sequence[bool]
) -> Any:
    if any(d is not None and d not in TYPES for d in dtypes):
        return None
    lengths = {prod(s) for s in shapes if s is not None} | {n for s in shapes if s is not None for n in s}
    rows = next(n for n in ROWS if n not in lengths)
    whole = [None if s is None else (rows, *s) if own else s for s, own in zip(shapes, per_row, strict=True)]
    program, places = _traced(function, whole, dtypes)
    kernel = made(program, rows, False)
    return None if kernel is None else (kernel, places)


def _rule(op: Op, saved: tuple[Any, ...], needs: tuple[bool, ...]) -> Callable[..., Any]:
    """Return an op's rules as a function of the covector and the saved arrays."""
    layout = op.layout

    def pulled(g: Any, *values: Any) -> tuple[Any, ...]:
        arrays = iter(values)
        given = tuple(next(arrays) if type(v) is ndarray else v for v in saved)
        return tuple(
            rule(g, *pick(given)) if need and rule is not None else None
            for rule, pick, need in zip(op.rules, layout.pickers, needs, strict=True)
        )

    return pulled


def _flat_rule(op: Op, saved: tuple[Any, ...], needs: tuple[bool, ...], arrays: Sequence[ndarray]) -> Any:
    # One ufunc passes through memory once as it is.
    return _flat_kernel(_rule(op, saved, needs), [a.dtype for a in arrays], least=2)
