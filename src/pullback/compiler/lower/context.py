"""Say what lowerings work with: the values so far, and the making of maps, reductions, products and calls."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from ..emit.product import merged
from ..emit.scalars import computing
from .buffer import Buffer
from .filling import Call, Node
from .handlers import Analysis, Handler
from .index import ZERO, Index, Indices, Variable, atom_index, constant, linear, strides_of
from .lowered import COMBINE, Body, Contraction, Lowered, Map, Matrix, Reduction, Shape

BOOL, INT64 = np.dtype(bool), np.dtype(np.int64)
#: A map read more than once is stored when an element takes more operations than this.
CHEAP = 4
#: Elements up to which a sum is its terms one after another: the loop around it is then vectorized together
#: with what follows. exp(-d²/2) of 150×150 points in the plane takes 45 µs so, and 193 as a loop in a loop.
SHORT_SUM = 4
#: Such sums from which that is worth having: what is small stays in the kernels that go over the terms.
MANY_SUMS = 64
#: Elements up to which an axis in front of the innermost loop is gone through in it, in registers: most of
#: the time of logsumexp over 8 states for 20 sequences went into a loop of 8 for each term. And operations of
#: all terms for which LLVM makes that in little time.
SHORT_AXIS, LANES, _WRITTEN_OUT = 16, 8, 320
#: Bytes of a product up to which it is kept for who asks again: the backward pass for an attention's scores.
KEPT = 4 << 20
#: A map is stored when an element has grown to more operations than this.
LONG = 96
#: Arrays that a map of so many elements or more reads, from which it is stored if one of them is a map among
#: the last nodes, as that one then stays in registers. The covectors of 60 steps of Sinkhorn's iteration,
#: 128×128, were written one by one, 4 MB, and added up at the end: 2,340 to 2,116 µs.
GATHERED, BEYOND, RECENT = 4, 1 << 13, 6


def is_short(shape: Shape, axes: Sequence[int]) -> bool:
    """Return whether axes are few elements, and the innermost loop one behind them."""
    behind = prod(shape[max(axes, default=-1) + 1 :])
    return 1 < prod(shape[a] for a in axes) <= SHORT_AXIS and behind >= LANES


def probe(body: Body, shape: Shape) -> Analysis:
    """Run a body on indices of its own and return what it reads."""
    analysis = Analysis()
    body(analysis, tuple(atom_index(Variable(f"i{n}", extent)) for n, extent in enumerate(shape)))
    return analysis


class Context:
    """The values and nodes of a program while it is being lowered."""

    def __init__(self) -> None:
        #: Of the op that is being lowered.
        self.results: Sequence[tuple[Shape, np.dtype[Any]]] = ()
        self.nodes: list[Node] = []
        self.buffers: list[Buffer] = []
        #: By buffer number.
        self.constants: dict[int, np.ndarray] = {}
        self._checks: dict[Any, Lowered] = {}
        self._products: dict[Any, Buffer] = {}
        self._tables: dict[int, tuple[np.ndarray, Buffer]] = {}
        #: Buffers of halves in float32, by number.
        self._wide: dict[int, Buffer] = {}

    def buffer(self, shape: Shape, dtype: np.dtype[Any], role: str = "temporary") -> Buffer:
        """Return a new buffer."""
        made = Buffer(len(self.buffers), tuple(shape), dtype, role)
        self.buffers.append(made)
        return made

    def constant(self, array: np.ndarray) -> Buffer:
        """Return a buffer that holds an array of the program's."""
        constant = np.ascontiguousarray(array).reshape(array.shape)
        buffer = self.buffer(array.shape, array.dtype, "constant")
        self.constants[buffer.number] = constant
        return buffer

    def table(self, array: np.ndarray) -> Buffer:
        """Return a buffer that holds an array, the same one for whom asks again."""
        if id(array) not in self._tables:
            self._tables[id(array)] = array, self.constant(array)
        return self._tables[id(array)][1]

    def held(self, buffer: Buffer) -> Lowered:
        """Return the value that lies in a buffer."""
        last: tuple[Indices, Index] = (), ZERO

        def load(ops: Handler, indices: Indices) -> Any:
            nonlocal last
            known = last
            if known[0] is not indices:
                # A kernel is looked at some times in one place.
                known = last = indices, linear(indices, strides_of(buffer.shape))
            return ops.load(buffer, known[1])

        return Lowered(buffer.shape, buffer.dtype, load, buffer, cost=1, even=(buffer,))

    def map(
        self, shape: Sequence[int], dtype: np.dtype[Any], body: Body, count: int | None = None,
        even: tuple[Buffer, ...] | None = None,
    ) -> Lowered:  # fmt: skip
        """Return a value computed where it is read, with its operations and reads, where these are known."""
        shape = tuple(shape)
        if count is None:
            count = probe(body, shape).count
        made = Lowered(shape, dtype, body, cost=count, count=count, even=even)
        return self.stored(made) if made.cost > LONG else made

    def each(
        self, compute: Callable[..., Any], *values: Lowered, dtype: np.dtype[Any] | None = None
    ) -> Lowered:
        """Return what is computed of the elements of values of one shape at the same place."""

        def body(ops: Handler, indices: Indices) -> Any:
            return compute(ops, *[value.at(ops, indices) for value in values])

        return self.map(values[0].shape, dtype or values[0].dtype, body)

    def full(self, shape: Sequence[int], dtype: np.dtype[Any], value: float) -> Lowered:
        """Return one number everywhere."""
        return self.map(shape, dtype, lambda ops, indices: ops.constant(value, dtype), 0)

    def cast(self, x: Lowered, dtype: np.dtype[Any]) -> Lowered:
        """Return a value in another dtype."""
        if x.dtype == dtype:
            return x
        return self.map(x.shape, dtype, lambda ops, indices: ops.cast(x.at(ops, indices), dtype))

    def count(self, value: Lowered) -> int:
        """Return operations that an element of a value takes where it is read."""
        if value.count is None:
            value.count = 0 if value.buffer is not None else probe(value.body, value.shape).count
        return value.count

    def stored(self, value: Lowered) -> Lowered:
        """Return the value in a buffer of its own, where it is not in one."""
        if value.buffer is not None:
            return value
        if value.kept is not None:
            return self.held(value.kept)
        buffer = value.kept = self.buffer(value.shape, value.dtype)
        if value.even is not None and value.count is not None:
            node = Map(buffer, distinct(value.even), body=value.body, even=value.even, count=value.count)
        else:
            analysis = probe(value.body, value.shape)
            node = Map(buffer, distinct(r.buffer for r in analysis.reads), body=value.body)
            if not value.shape:
                node.seen = (), analysis
        self.nodes.append(node)
        return self.held(buffer)

    def cheap(self, value: Lowered) -> Lowered:
        """Return a value that may be read more than once: stored where it costs more than a load."""
        return self.stored(value) if value.cost > 1 else value

    def gathers(self, value: Lowered) -> bool:
        """Return whether a value is of so many arrays that it is stored beside the one filled last."""
        even = value.even
        if even is None or value.buffer is not None or prod(value.shape) < BEYOND:
            return False
        numbers = {b.number for b in even if b.shape}
        recent = {n.buffer.number for n in self.nodes[-RECENT:] if isinstance(n, Map)}
        return len(numbers) >= GATHERED and not numbers.isdisjoint(recent)

    def multiplied(self, value: Lowered) -> Lowered:
        """Return the value for products, stored as it is: no view of it is stored in another order."""
        computed = value.buffer is None and probe(value.body, value.shape).count > 0
        return self.stored(value) if computed else value

    def reduction(
        self, x: Lowered, axes: Sequence[int], combine: str, dtype: np.dtype[Any], body: Body | None = None
    ) -> Lowered:
        """Combine over axes, which the result lacks; `body` replaces the value's own."""
        axes = tuple(sorted(axes))
        kept = tuple(n for a, n in enumerate(x.shape) if a not in axes)
        if body is None:

            def body(ops: Handler, indices: Indices) -> Any:
                return ops.cast(x.at(ops, indices), dtype)

        if prod(x.shape[a] for a in axes) == 1:
            return self.map(kept, dtype, lambda ops, indices: body(ops, _with_zeros(indices, axes)))
        if dtype.kind in "bfiu":
            terms = prod(x.shape[a] for a in axes)
            few = terms <= SHORT_SUM and prod(kept) >= MANY_SUMS and combine == "sum" and dtype.kind == "f"
            if few or (is_short(x.shape, axes) and terms * probe(body, x.shape).count <= _WRITTEN_OUT):
                return self.stored(self._written_out(x.shape, axes, combine, dtype, body))
        buffer = self.buffer(kept, dtype)
        spare = self.buffer(kept, dtype) if combine == "sum" and dtype.kind == "f" and kept else None
        analysis = probe(body, x.shape)
        self.nodes.append(
            Reduction(
                buffer, distinct(r.buffer for r in analysis.reads), shape=x.shape, axes=axes,
                combine=combine, body=body, spare=spare,
            )
        )
        return self.held(buffer)

    def _written_out(
        self, shape: Shape, axes: Sequence[int], combine: str, dtype: np.dtype[Any], body: Body
    ) -> Lowered:
        """Return a combination as its terms, in order."""
        kept = tuple(n for a, n in enumerate(shape) if a not in axes)
        places = list(product(*(range(shape[a]) for a in axes)))

        def summed(ops: Handler, indices: Indices) -> Any:
            total = None
            for place in places:
                rest, along = iter(indices), iter(place)
                at = tuple(constant(next(along)) if a in axes else next(rest) for a in range(len(shape)))
                term = body(ops, at)
                total = term if total is None else getattr(ops, COMBINE[combine][0])(total, term)
            return total

        return self.map(kept, dtype, summed, len(places) * (1 + probe(body, shape).count))

    def require(
        self, index: Lowered, extent: int, wraps: bool = False, ignored: int | None = None, what: Any = None
    ) -> None:
        """Let the program refuse its results unless an index is within an axis; `ignored` always is. An index
        that is required again, told by its buffer or by `what`, is checked once.
        """
        key = (what or index.buffer or index.body, extent, wraps, ignored)
        if key in self._checks:
            return

        def outside(ops: Handler, indices: Indices) -> Any:
            value = index.at(ops, indices)
            low = ops.constant(-extent if wraps else 0, INT64)
            wide = ops.cast(value, INT64)
            wrong = ops.or_(ops.lt(wide, low), ops.ge(wide, ops.constant(extent, INT64)))
            if ignored is not None:
                wrong = ops.and_(wrong, ops.ne(wide, ops.constant(ignored, INT64)))
            return wrong

        axes = range(len(index.shape))
        self._checks[key] = self.reduction(index, axes, "any", BOOL, outside)

    def refuse(self, wrong: Lowered) -> None:
        """Let the program refuse its results where a bool is true."""
        self._checks[wrong.buffer or wrong.body] = wrong

    def wrong(self) -> Buffer | None:
        """Return what holds whether an index is out of its range; None where none is asked for."""
        if not (checks := list(self._checks.values())):
            return None

        def either(ops: Handler, indices: Indices) -> Any:
            found = checks[0].at(ops, ())
            for check in checks[1:]:
                found = ops.or_(found, check.at(ops, ()))
            return found

        return self.stored(Lowered((), BOOL, either, cost=len(checks) + 1)).buffer

    def matrix(self, x: Lowered) -> Matrix:
        """Return a value as a product's operand, stored where it is no strided part of a buffer."""
        found = self._strided(x) or self._widened(x)
        if found is None:
            found = self._strided(self.stored(x))
            assert found is not None
        return found

    def _widened(self, x: Lowered) -> Matrix | None:
        """Return an operand that is a buffer of halves in float32, as the part of a buffer that all products
        share: a weight is converted once for its product and those of the backward pass.
        """
        analysis = probe(x.body, x.shape)
        # The one operation is the cast.
        if len(analysis.reads) != 1 or analysis.count != 1:
            return None
        buffer = analysis.reads[0].buffer
        is_half = computing(buffer.dtype) == x.dtype != buffer.dtype
        if not is_half or prod(buffer.shape) > prod(x.shape):
            return None

        def halves(ops: Handler, at: Indices) -> Any:
            found = Analysis()
            x.body(found, at)
            return ops.load(buffer, found.reads[0].index)

        if (narrow := self._strided(Lowered(x.shape, buffer.dtype, halves))) is None:
            return None
        if buffer.number not in self._wide:
            stored = self.stored(self.cast(self.held(buffer), x.dtype)).buffer
            assert stored is not None
            self._wide[buffer.number] = stored
        return narrow._replace(buffer=self._wide[buffer.number])

    def is_strided(self, x: Lowered) -> bool:
        """Return whether a value is the operand of a product where it lies."""
        return self._strided(x) is not None

    def _strided(self, x: Lowered) -> Matrix | None:
        variables = [Variable(f"i{n}", extent) for n, extent in enumerate(x.shape)]
        analysis = Analysis()
        term = x.body(analysis, tuple(atom_index(v) for v in variables))
        if term.read is None or len(analysis.reads) != 1 or analysis.count:
            return None
        strides = [0 if v.extent == 1 else term.read.index.coefficient(v) for v in variables]
        if any(s is None for s in strides):
            return None
        *batch, rows, columns = strides
        # What is packed lies in one piece along one of the two axes.
        if x.shape[-1] == 1:
            columns = 1
        if x.shape[-2] == 1:
            rows = 1 if columns != 1 else x.shape[-1]
        if 1 not in (rows, columns):
            return None
        return Matrix(term.read.buffer, term.read.index.constant, tuple(batch), (rows, columns))

    def product(self, left: Lowered, right: Lowered, dtype: np.dtype[Any], alpha: float = 1.0) -> Lowered:
        """Return ``left @ right`` over the last two axes, times `alpha`."""
        *batch, rows, inner = left.shape
        columns = right.shape[-1]
        a, b = self.matrix(left), self.matrix(right)
        if len(merged(batch, a.batch, b.batch)[0]) > 2:
            # The machine code knows of two axes.
            a, b = (self.matrix(self.stored(x)) for x in (left, right))
        key = a, b, rows, columns, inner, alpha
        if (known := self._products.get(key)) is not None:
            return self.held(known)
        buffer = self.buffer((*batch, rows, columns), dtype)
        if buffer.bytes <= KEPT:
            self._products[key] = buffer
        self.nodes.append(
            Contraction(
                buffer, distinct([a.buffer, b.buffer]), left=a, right=b, extents=(rows, columns, inner),
                batch=tuple(batch), alpha=alpha,
            )
        )  # fmt: skip
        return self.held(buffer)

    def call(
        self, op: str, operands: Sequence[Any], attrs: tuple[object, ...], several: bool,
        results: Sequence[tuple[Shape, np.dtype[Any]]],
    ) -> tuple[Lowered, ...]:  # fmt: skip
        """Run an op's array kernel."""
        given = [self.stored(o).buffer if isinstance(o, Lowered) else o for o in operands]
        outputs = tuple(self.buffer(shape, dtype) for shape, dtype in results)
        reads = distinct(o for o in given if isinstance(o, Buffer))
        self.nodes.append(
            Call(
                outputs[0], reads, op=op, operands=tuple(given), attrs=attrs, outputs=outputs, several=several
            )
        )
        return tuple(self.held(b) for b in outputs)


def distinct(buffers: Iterable[Buffer]) -> list[Buffer]:
    """Return buffers, each once."""
    return list({b.number: b for b in buffers}.values())


def _with_zeros(indices: Indices, axes: Sequence[int]) -> Indices:
    result = list(indices)
    for axis in axes:
        result.insert(axis, ZERO)
    return tuple(result)


def broadcast(x: Lowered, shape: Shape) -> Body:
    """Return the body of a value expanded to a shape."""
    own = x.shape
    skip = len(shape) - len(own)
    if own == shape:
        return x.body

    def body(ops: Handler, indices: Indices) -> Any:
        return x.at(ops, tuple(ZERO if n == 1 else i for n, i in zip(own, indices[skip:], strict=True)))

    return body
