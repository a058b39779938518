"""Native loops for eager ops on large arrays: one kernel, lowered from the op itself, for any number of
rows.

A kernel serves arrays of any length: elements of a flat array where the op goes element by element, rows of a
fixed length where it goes along one. `traced_writing` makes it; what a caller must know of it, its `Plan`, is
kept on disk by the name of what was asked for, so that a later process neither traces nor lowers anything.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np
from numpy import ndarray

from ...array import dtypes, locks
from ...array.elementwise import flat_views
from ...array.named_tuples import NamedTuple
from ...core.op import TABLE, Op
from ..emit import functions
from ..emit.codegen import Code
from ..passes import parallel_rows
from ..runtime import cache, engine
from ..runtime.shared_kernels import address
from .flat_calls import ROWS, FlatCall
from .jobs import FLOATS, Parts

#: Kernels of one op at most, where numbers or lengths of sequences tell them apart.
MOST_NUMBERS = 16
#: Nanoseconds for a byte that is kept between two bounds: what passes through the cache takes less than what
#: a kernel is thought to take.
CLAMPED = 0.04


class Array(NamedTuple):
    """Say what array a kernel writes."""

    number: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, buffer: Any) -> Array:
        return cls(buffer.number, tuple(buffer.shape), buffer.dtype)

    def told(self) -> list[Any]:
        """Return what `read` makes an array of."""
        return [self.number, list(self.shape), self.dtype.name]

    @classmethod
    def read(cls, number: Any, shape: Any, dtype: Any) -> Array:
        return cls(int(number), tuple(map(int, shape)), np.dtype(str(dtype)))


class Own(NamedTuple):
    """Say what each part has a place of its own for, in memory made for the call."""

    #: Bytes of such a place.
    stride: int
    #: The sum that is gathered there, if it is one, and how those of parts are joined.
    gathered: Array | None
    combine: str


class Plan(NamedTuple):
    """Say how a kernel is called."""

    #: The name of the machine code in the cache.
    code: str
    #: How many of the kernel's rows go to one of the program's.
    each: int
    #: Estimated nanoseconds for a row.
    work: float
    outputs: list[Array]
    own: list[Own]
    #: For each parameter which it is: inputs, outputs, and what parts have of their own.
    order: list[int]

    def told(self) -> list[Any]:
        """Return what `read` makes a plan of."""
        own = [[o.stride, o.gathered and o.gathered.told(), o.combine] for o in self.own]
        return [self.code, self.each, self.work, [y.told() for y in self.outputs], own, self.order]

    @classmethod
    def read(cls, code: Any, each: Any, work: Any, outputs: Any, own: Any, order: Any) -> Plan:
        owned = [Own(int(stride), y and Array.read(*y), str(combine)) for stride, y, combine in own]
        made = [Array.read(*y) for y in outputs]
        return cls(str(code), int(each), float(work), made, owned, list(map(int, order)))


class LargeKernel:
    """A kernel, its machine code or what waits for it, and how it is called."""

    def __init__(self, plan: Plan, code: Code | Callable[[], Code]) -> None:
        self.plan, self.outputs = plan, plan.outputs
        self.gathers = {o.gathered.number for o in plan.own if o.gathered is not None}
        self._library = engine.Library(code, {}, functions.addresses)
        self._parts = Parts(self._library.address("part"))
        self._packed = struct.Struct(f"{2 + len(plan.order)}q").pack
        self._at_once: FlatCall | None = None

    def at_once(
        self, arrays: Sequence[ndarray], out: ndarray | None, numbers: int = 0
    ) -> Sequence[ndarray] | None:
        """Return what one native call writes for few elements in C order; None where there is none. So many
        of the last arrays are one number each.
        """
        plan = self.plan
        if plan.own:
            return None
        if self._at_once is None:
            given, made = [x.dtype for x in arrays], [b.dtype for b in self.outputs]
            self._at_once = FlatCall(
                self._library.address("part"), given, made, plan.order, plan.work * plan.each, plan.each,
                others=numbers,
            )  # fmt: skip
        return self._at_once(*arrays) if out is None else self._at_once(*arrays, out)

    def rows_at_once(self, arrays: Sequence[ndarray], lead: int) -> Sequence[ndarray] | None:
        """Return the same of rows, of which the array at `lead` has one at each place of its first axis."""
        if self._at_once is None:
            plan, first, numbers = self.plan, len(arrays), [b.number for b in self.outputs]
            made = [(b.dtype, (ROWS, *b.shape[1:])) for b in self.outputs]
            places = [*range(first + len(made))]
            for o in plan.own:
                if o.gathered is None:
                    places.append(first + len(made))
                    made.append((np.dtype(np.uint8), (o.stride,)))
                else:
                    # What a part gathers is a result where there is one part.
                    at = numbers.index(o.gathered.number)
                    places.append(first + at)
                    made[at] = o.gathered.dtype, o.gathered.shape
            given, (dtypes, shapes) = [x.dtype for x in arrays], zip(*made, strict=True)
            self._at_once = FlatCall(
                self._library.address("part"), given, dtypes, [places[at] for at in plan.order],
                plan.work * plan.each, plan.each, lead=lead, shapes=shapes,
            )  # fmt: skip
        return self._at_once(*arrays)

    def __call__(self, arrays: Sequence[ndarray | None], rows: int) -> dict[int, ndarray]:
        """Run on rows of inputs and outputs, None where gathered; return what was gathered, by buffer."""
        plan = self.plan
        rows *= plan.each
        parts = parallel_rows.count(rows, plan.work * rows, bool(self.gathers))
        if not plan.own:
            # All that a call of an elementwise op does: what stands below takes 2 µs more for nothing.
            pointers = [address(arrays[at]) for at in plan.order]
            self._parts.run(self._packed(rows, parts, *pointers), parts)
            return {}
        own = [
            np.empty((parts, o.stride), np.uint8) if parts > 1 or o.gathered is None
            else np.empty(o.gathered.shape, o.gathered.dtype)
            for o in plan.own
        ]  # fmt: skip
        places = [*arrays, *own]
        pointers = [address(places[at]) for at in plan.order]
        self._parts.run(self._packed(rows, parts, *pointers), parts)
        return {
            o.gathered.number: values if parts == 1 else _joined(values, o.gathered, o.combine)
            for values, o in zip(own, plan.own, strict=True) if o.gathered is not None
        }  # fmt: skip


_UFUNCS = {"sum": np.add, "prod": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
           "any": np.logical_or, "all": np.logical_and}  # fmt: skip


def _joined(slots: ndarray, sum: Array, combine: str) -> ndarray:
    values = slots.view(sum.dtype)[:, : int(np.prod(sum.shape))]
    wide = np.float64 if combine == "sum" and sum.dtype == np.float32 else None
    result = _UFUNCS[combine].reduce(values, axis=0, dtype=wide)
    return result.astype(sum.dtype, copy=False).reshape(sum.shape)


def _name_of(part: Any) -> str:
    """Return what a part of a key is called in each process; with its address where that cannot be said."""
    if not isinstance(part, FunctionType):
        return repr(part)
    name = f"{part.__module__}.{part.__qualname__}"
    if "<" not in name:
        return name
    if part.__closure__:
        return repr(part)
    # Other lambdas are called so, too, but do something else.
    code, defaults = part.__code__, (part.__defaults__, part.__kwdefaults__)
    takes = code.co_flags, code.co_argcount, code.co_kwonlyargcount, code.co_varnames
    return f"{name} {(code.co_code, code.co_consts, code.co_names, takes, defaults)}"


def _entry_of(key: tuple[Any, ...]) -> str | None:
    """Return the name on disk of what was asked for; None where another process may call another thing so."""
    names = [_name_of(part) for part in key]
    if any(" at 0x" in name for name in names):
        return None
    return cache.key("eager kernel", engine.machine_name(), str(dtypes.get_default_dtype()), *names)


def _kept(told: Any) -> tuple[Any]:
    """Return what was found out earlier, that there is no kernel included, as a tuple."""
    if told is None:
        return (None,)
    plan, places = Plan.read(*told[0]), [None if at is None else int(at) for at in told[1]]
    code = engine.found_as(plan.code)
    if code is None:
        raise LookupError(plan.code)
    return ((LargeKernel(plan, code), places),)


def _lasting(key: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """Return the kernel for a key: what an earlier process kept, or what is made, and kept for later ones."""
    entry = _entry_of(key)
    if entry is None:
        return make()
    known = cache.made_of(entry, lambda told, content: _kept(told))
    if known is not None:
        return known[0]
    found = make()
    cache.write(entry, None if found is None else [found[0].plan.told(), found[1]], b"")
    return found


#: Those of rows whose length is another in each call where a sequence grows, with all "…_along".
_OF_ANY_LENGTH = (
    "softmax", "log_softmax", "softmax_adjoint", "log_softmax_adjoint", "weights_of_rows", "attention_pull",
    "logsumexp", "exponentials_of_rows",
)  # fmt: skip


def _laid(
    kernel: LargeKernel, arrays: Sequence[ndarray], out: ndarray | None
) -> tuple[list[ndarray], list[ndarray]] | None:
    """Return arrays of one shape with what a kernel writes, walked in one order, and the latter as results;
    None where there is no such order, or `out` is not what the kernel writes.
    """
    if out is None:
        outputs = [np.empty_like(arrays[0], dtype=b.dtype) for b in kernel.outputs]
    elif [b.dtype for b in kernel.outputs] == [out.dtype] and out.shape == arrays[0].shape:
        outputs = [out]
    else:
        return None
    whole = [*arrays, *outputs]
    for x in whole:
        if not x.flags.c_contiguous:
            flats = flat_views(whole)
            return None if flats is None else (flats, outputs)
    return whole, outputs


class TracedKernels:
    """The kernels, each made when it is first asked for. They give None for arrays that they do not take."""

    def __init__(self) -> None:
        self._made: dict[Any, Any] = {}
        self._lock = locks.reentrant_lock()
        self._begin()
        locks.in_child(self._begin)

    def _begin(self) -> None:
        """Forget the kernels being made, which no thread of a forked child would finish."""
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
                        found = self._made[key] = _lasting(key, make)
                    finally:
                        self._making = False
        return found

    def elementwise(
        self, name: str, arrays: Sequence[ndarray], attrs: tuple[object, ...], out: ndarray | None = None
    ) -> ndarray | None:
        """Return the op on arrays of one shape, written to `out` where that is given: one of the arrays, or
        one that shares no memory with them.
        """
        key = (name, repr(attrs), *[a.dtype for a in arrays])
        if attrs and not self._has_room(key):
            return None

        def make() -> Any:
            from .traced_writing import flat_kernel

            if (op := TABLE.get(name)) is None:  # SciPy's name of a function need not be an op's
                return None
            return flat_kernel(lambda *xs: op.call(*xs, *attrs), [a.dtype for a in arrays])

        results = self._flat(key, make, arrays, out)
        return None if results is None else results[0]

    def clamp(self, x: ndarray, out: ndarray, least: ndarray, most: ndarray) -> bool:
        """Write elements of a C-ordered array, NaN among them, no smaller than one number, which may be
        another at each call, and no larger than another; return whether that was done.
        """

        def make() -> Any:
            from .traced_writing import clamped, flat_kernel

            return flat_kernel(clamped, [x.dtype] * 3, numbers=(1, 2), work=CLAMPED * x.itemsize)

        found = self._kernel(("clamp", x.dtype), make)
        given = x, least, most
        if found is not None and found[0].at_once(given, out, 2) is None:
            found[0]((*given, out), x.size)
        return found is not None

    def mapped(
        self, function: Callable[..., Any], g: ndarray, arrays: Sequence[ndarray | None],
        attrs: tuple[Any, ...], out: ndarray | None = None,
    ) -> ndarray | None:  # fmt: skip
        """Return a function, of elementwise ops, of a covector, which may be one number, and of arrays of one
        shape and dtype, written to `out` as `elementwise` does.
        """
        present = [x for x in arrays if x is not None]
        spread = g.shape != present[0].shape or 0 in g.strides
        one = g[(0,) * g.ndim] if spread else g
        key = (function, repr(attrs), spread, g.dtype, *(x is None for x in arrays))
        other = g.dtype != present[0].dtype or (spread and any(g.strides))
        if other or (attrs and not self._has_room(key)):
            return None

        def called(g: object, *given: Any) -> Any:
            values = iter(given)
            return function(g, *(None if x is None else next(values) for x in arrays), *attrs)

        def make() -> Any:
            from .traced_writing import flat_kernel

            return flat_kernel(called, [g.dtype] * (1 + len(present)), numbers=(0,) if spread else ())

        found = self._kernel(key, make)
        laid = None if found is None else _laid(found[0], present if spread else [g, *present], out)
        if laid is None:
            return None
        arrays, outputs = laid
        found[0]([np.asarray(one), *arrays] if spread else arrays, present[0].size)
        return outputs[found[1][0]]

    def _has_room(self, key: Any) -> bool:
        """Return whether there is a kernel for an op with these numbers, or may be one more.

        A number, or a length of rows, that is another in each call is not worth one each.
        """
        if key in self._made:
            return True
        # Another thread may add one while they are counted.
        return sum(other[0] == key[0] for other in list(self._made)) < MOST_NUMBERS

    def _flat(
        self, key: object, make: Callable[[], Any], arrays: Sequence[ndarray], out: ndarray | None = None
    ) -> list[Any] | None:
        found = self._kernel(key, make)
        if found is None:
            return None
        outputs = found[0].at_once(arrays, out)
        if outputs is None:
            laid = _laid(found[0], arrays, out)
            if laid is None:
                return None
            given, outputs = laid
            found[0](given, arrays[0].size)
        return [None if at is None else outputs[at] for at in found[1]]

    def rows(
        self, name: str, operands: Sequence[ndarray | None], attrs: tuple[Any, ...], per_row: Sequence[bool]
    ) -> tuple[ndarray, ...] | None:
        """Return the op on operands; those marked in `per_row` have a part for each row in front."""
        shapes = [
            None if x is None else x.shape[1:] if own else x.shape
            for x, own in zip(operands, per_row, strict=True)
        ]
        dtypes = [None if x is None else x.dtype for x in operands]
        key = (name, repr(attrs), *shapes, *dtypes, *per_row)
        if (name in _OF_ANY_LENGTH or name.endswith("_along")) and not self._has_room(key):
            return None

        def make() -> Any:
            from .traced_writing import row_kernel

            return row_kernel(name, attrs, shapes, dtypes, per_row)

        found = self._kernel(key, make)
        return None if found is None else tuple(self._along(found, operands, per_row))

    def _along(self, found: Any, operands: Sequence[ndarray | None], per_row: Sequence[bool]) -> list[Any]:
        kernel, places = found
        given, lead = list[ndarray](), -1
        for x, own in zip(operands, per_row, strict=True):
            if x is not None:
                if own and lead < 0:
                    lead = len(given)
                given.append(x)
        made = kernel.rows_at_once(given, lead)
        if made is not None:
            return [None if at is None else made[at] for at in places]
        rows, given = len(given[lead]), [np.ascontiguousarray(x) for x in given]
        outputs = [
            None if b.number in kernel.gathers else np.empty((rows, *b.shape[1:]), b.dtype)
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
        if any(a.shape != g.shape for a in arrays) or not all(a.dtype in FLOATS for a in arrays[:1]):
            return None
        absent = tuple(v is None for v in values)
        key = (op.name, needs, absent, repr(others), *(a.dtype for a in arrays))
        if any(type(v) is tuple for v in others):
            return None
        if any(type(v) is float for v in others) and not (op.chained and self._has_room(key)):
            return None

        def make() -> Any:
            from .traced_writing import flat_rule

            return flat_rule(op, saved, needs, arrays)

        results = self._flat(key, make, arrays)
        return None if results is None else tuple(results)
