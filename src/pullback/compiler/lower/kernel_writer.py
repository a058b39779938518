"""Write one kernel: the loops that fill the buffers of its nodes together.

A row is worked off in stages. In each stage one loop nest over the row's elements computes maps and gathers
reductions; after it the values of the row (its reductions, and maps of them) are known to the next stage.
What a stage computed is at hand for the others of its stage in registers, so a buffer that only the kernel
itself reads is never written, or is one row long.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import prod
from typing import Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ...array.records import record
from ..emit.emitter import MAPPED, SHORT, Emitter, Module
from ..emit.scalars import TYPES, Value, computing, is_float, number
from .buffer import Buffer
from .domain import BLOCK, Domain
from .filling import Node
from .handlers import PARTS, Analysis, Read
from .index import Index, Variable, atom_index, constant
from .kernel import ALL, COLUMN, ELEMENT, LANE, ROW, Kernel, Place, analysis_of, place, read_by
from .lowered import COMBINE, Map, Reduction
from .stretches import LEAST, fill, stretches

#: Elements that fill a vector.
LINE = 16


class Partial(NamedTuple):
    """A buffer of which each part of a kernel's rows gathers its share."""

    buffer: Buffer
    combine: str
    #: In which values are combined.
    dtype: np.dtype[Any]


class Accesses:
    """Say when a kernel reads an element and when it writes one, as times within the work on a row."""

    def __init__(self) -> None:
        #: Number of a buffer, place, time.
        self.reads: list[tuple[int, Index, tuple[int, int]]] = []
        #: Place and time, by the buffers that maps fill.
        self.writes: dict[int, tuple[Index, tuple[int, int]]] = {}

    def may_replace(self, before: int, after: int) -> bool:
        """Return whether buffer `after` may lie where `before` does: no element is read once written."""
        place, time = self.writes.get(after, (None, (0, 0)))
        if place is None:
            return False
        return all(
            index == place and when <= time for number_, index, when in self.reads if number_ == before
        )


@record(eq=False)
class Emission:
    """Hold what emitting a kernel gave."""

    #: The function, without its name.
    text: str
    #: Numbers of the buffers it takes, in order.
    parameters: list[int]
    rows: int
    #: Elements needed of buffers that hold a row only.
    row_buffers: dict[int, int]
    partials: list[Partial]
    #: Estimated nanoseconds.
    work: float
    accesses: Accesses
    #: Bytes from where a buffer begins to where the function's pointer is to point, where that is elsewhere.
    moved: dict[int, int]
    #: How many parts the rows are cut into for threads.
    parts: int = 1


#: Nanoseconds for an operation on a float32 in a vector register, and for a byte read or written: between the
#: second-level cache and memory.
OPERATION, BYTE = 0.04, 0.05
#: Operations of a row that LLVM writes out, to vectorize the loop over rows. Of longer ones it writes out
#: parts: logsumexp of 32 columns took 4.9 ns an element (of 28 1.0), and takes 1.6 where the loop stays.
UNROLLED = 490
#: Columns, at most, of rows that a loop over rows computes, a row to a lane, and how many rows that takes.
#: What is left over beside full registers are scalar functions: softmax of 5 columns took 13 ns an element
#: and takes 1.4, of 12 in float64 24 and 3.5, of 21 5.8 and 1.4. Compiling 32 columns takes thrice as long.
WIDEST, LEAST_ROWS = 32, 16


def identity(combine: str, dtype: np.dtype[Any]) -> Any:
    """Return what leaves the other operand of a combination as it is."""
    if (known := COMBINE[combine][1]) is not None:
        return known
    if is_float(dtype):
        return -np.inf if combine == "maximum" else np.inf
    if dtype.kind == "b":
        return combine == "minimum"
    info = np.iinfo(dtype)
    return info.min if combine == "maximum" else info.max


def combined(
    ops: Emitter, combine: str, x: Value, y: Value, dtype: np.dtype[Any], signed: bool = True
) -> Value:
    """Return two values of a reduction as one; extremes tell 0 from -0 only where they are `signed`."""
    x, y = ops.cast(x, dtype), ops.cast(y, dtype)
    if combine in ("sum", "prod") and is_float(dtype) and dtype == computing(dtype):
        # The order of a sum is free: LLVM may keep several partial sums.
        word = "fadd" if combine == "sum" else "fmul"
        return ops.instruction(f"{word} reassoc {TYPES[dtype]} {x.name}, {y.name}", dtype)
    if combine in ("maximum", "minimum"):
        return ops.extreme(combine, x, y, "" if signed or not is_float(dtype) else "nsz ")
    return getattr(ops, COMBINE[combine][0])(x, y)


def emit(kernel: Kernel, module: Module, escaping: set[int], any_rows: bool = False) -> Emission:
    """Write a kernel; others read `escaping`; with `any_rows` it runs on other numbers of rows, too."""
    domain = kernel.settle()
    writer = _Writer(kernel, domain, module, escaping, any_rows)
    writer.write()
    spares = [spare.number for _, spare in writer.spares.values()]
    rows = dict.fromkeys([*writer.ops.rows.keys() - writer.ops.arrays, *spares], domain.columns)
    rows |= {n: domain.lanes for n in rows if n in writer.places and writer.places[n].kind == LANE}
    return Emission(
        writer.ops.function_text(), [*writer.ops.parameters], domain.rows, rows, writer.partials(),
        writer.work(), writer.accesses, writer.ops.moved,
    )  # fmt: skip


class _Writer:
    """Write one kernel."""

    def __init__(
        self, kernel: Kernel, domain: Domain, module: Module, escaping: set[int], any_rows: bool
    ) -> None:
        self.kernel = kernel
        self.any_rows = any_rows
        self.domain = domain
        self.ops = Emitter(module, moves=not any_rows)
        self.places: dict[int, Place] = {}
        self.stages: dict[int, int] = {}
        #: Buffers that are written to memory.
        self.stored = set(escaping)
        self.totals: dict[int, tuple[str, np.dtype[Any]]] = {}
        #: Sums over columns that are gathered by stretches, and the spare rows for it, by their buffers.
        self.spares: dict[int, tuple[Buffer, Buffer]] = {}
        self.accesses = Accesses()
        #: Whether the loop over rows is vectorized, with a row in each lane.
        self.in_lanes = self._fills_lanes()

    def partials(self) -> list[Partial]:
        """Return what is gathered over columns or over everything."""
        return [
            Partial(node.buffer, node.combine, computing(node.buffer.dtype))
            for node in self.kernel.nodes
            if isinstance(node, Reduction) and self.places[node.buffer.number].kind in (COLUMN, ALL)
        ]

    def work(self) -> float:
        """Return estimated nanoseconds: operations, and bytes of the buffers that are passed."""
        operations = 0.0
        for node in self.kernel.nodes:
            analysis = analysis_of(node, self.places[node.buffer.number])
            width = max(computing(r.buffer.dtype).itemsize for r in analysis.reads) if analysis.reads else 4
            operations += (1 + analysis.count) * prod(node.shape) * width / 4  # type: ignore[attr-defined]
        buffers = {r.buffer.number: r.buffer for n in self.kernel.nodes for r in self._reads(n)}
        buffers |= {n.buffer.number: n.buffer for n in self.kernel.nodes}
        passed = sum(b.bytes for number_, b in buffers.items() if number_ in self.ops.parameters)
        return OPERATION * operations + BYTE * passed

    def _reads(self, node: Node) -> list[Read]:
        return read_by(node, self.places[node.buffer.number])

    def _arrange(self, escaping: set[int]) -> None:
        """Find every node's place and stage."""
        for position, node in enumerate(self.kernel.nodes):
            where = place(node, self.domain)
            assert where is not None
            self.places[node.buffer.number] = where
            once = where.kind in (ROW, LANE) and isinstance(node, Map)
            stage = -1 if once or self._over_rows(node) else 0
            everything = read_by(node, where)
            reads = [r for r in everything if r.buffer.number in self.stages]
            for read in reads:
                source = self.places[read.buffer.number]
                before = self.stages[read.buffer.number]
                if source.kind in (ROW, LANE) and not (once or self._over_rows(node)):
                    before += 1
                stage = max(stage, before)
            for read in reads:
                number_ = read.buffer.number
                source = self.places[number_]
                at_hand = source.kind == ROW or self.stages[number_] == stage
                if source.kind == LANE or not at_hand or read.index != source.store:
                    self.stored.add(number_)
                    # What only later stages of the same row read needs no more than a row.
                    if number_ not in escaping and self.domain.rows > 1 and source.kind == ELEMENT:
                        self.ops.rows[number_] = self.domain.column()
                        if self.in_lanes and read.buffer.dtype not in PARTS:
                            self.ops.hold(read.buffer, self.domain.columns)
            self.stages[node.buffer.number] = stage
            if where.kind == LANE and node.buffer.number not in escaping and self.domain.rows > 1:
                self.ops.rows[node.buffer.number] = self.domain.lane()
            # What runs once a row runs after the loop of its stage.
            time = 2 * stage + (once or self._over_rows(node)), position
            self.accesses.reads += [(r.buffer.number, r.index, time) for r in everything]
            if isinstance(node, Map):
                self.accesses.writes[node.buffer.number] = where.store, time

    def _over_rows(self, node: Node) -> bool:
        """Return whether a node gathers the values of rows, not of elements."""
        where = self.places[node.buffer.number]
        return where.kind == ALL and prod(node.shape) == self.domain.rows != self.domain.size  # type: ignore[attr-defined]

    def write(self) -> None:
        """Write the function's body."""
        self._arrange(set(self.stored))
        ops, domain = self.ops, self.domain
        self._prepare()
        last = max(self.stages.values())
        with ExitStack() as loop:
            if domain.rows > 1:
                innermost = None if domain.loops else "1"
                bounds = "%lo", "%hi"
                several = len(self.kernel.nodes) > 1 and not self.any_rows
                if several and not domain.loops and domain.rows in SHORT:
                    # LLVM makes one loop of it, not one for each length of vectors and for what is left.
                    innermost, bounds = "5", ("0", str(domain.rows))
                if self.spares:
                    rows = None if self.any_rows else domain.rows
                    bounds = loop.enter_context(stretches(ops, rows, self.spares.values()))
                loop.enter_context(ops.loop(domain.row, *bounds, innermost))
            self._row(-1)
            for stage in range(last + 1):
                self._stage(stage)
                self._row(stage)
        self._finish()

    def _prepare(self) -> None:
        """Give reductions over columns and over everything their first value."""
        ops = self.ops
        for node in self.kernel.nodes:
            if (where := self.places[node.buffer.number]).kind == ALL:
                assert isinstance(node, Reduction)
                dtype = self._accumulator(node, wide=True)
                first = number(identity(node.combine, dtype), dtype)
                self.totals[node.buffer.number] = (ops.slot(TYPES[dtype], first), dtype)
            elif where.kind == COLUMN:
                assert isinstance(node, Reduction)
                fill(ops, node.buffer, identity(node.combine, node.buffer.dtype))
                if node.spare is not None and (self.any_rows or self.domain.rows > LEAST):
                    self.spares[node.buffer.number] = node.buffer, node.spare

    def _accumulator(self, node: Reduction, wide: bool = False) -> np.dtype[Any]:
        dtype = computing(node.buffer.dtype)
        # A sum of the sums of rows may have as many terms as there are rows.
        return np.dtype(np.float64) if wide and dtype == np.float32 and node.combine == "sum" else dtype

    def _stage(self, stage: int) -> None:
        ops, domain = self.ops, self.domain
        nodes = [
            n
            for n in self.kernel.nodes
            if self.stages[n.buffer.number] == stage
            and not (self.places[n.buffer.number].kind in (ROW, LANE) and isinstance(n, Map))
            and not self._over_rows(n)
        ]
        if not nodes:
            return
        slots: dict[int, tuple[str, np.dtype[Any]]] = {}
        for node in nodes:
            where = self.places[node.buffer.number]
            if isinstance(node, Reduction) and where.kind in (ROW, ALL):
                dtype = self._accumulator(node)
                slots[node.buffer.number] = (ops.slot(TYPES[dtype]), dtype)
                first = number(identity(node.combine, dtype), dtype)
                ops.line(f"store {TYPES[dtype]} {first}, ptr {slots[node.buffer.number][0]}")
            elif isinstance(node, Reduction) and where.kind == LANE:
                with self._lanes():
                    none = ops.constant(identity(node.combine, node.buffer.dtype), node.buffer.dtype)
                    ops.store(node.buffer, where.store, none)
        with ExitStack() as loops:
            for depth, variable in enumerate(domain.loops):
                if variable.extent == 1:
                    continue
                stop = str(variable.extent)
                if domain.blocked:
                    stop = self._block_end()
                innermost = None
                if depth == len(domain.loops) - 1:
                    most = max(analysis_of(n, self.places[n.buffer.number]).count for n in nodes)
                    stays = variable.extent * most > UNROLLED or self._stands_alone()
                    short = MAPPED if all(isinstance(n, Map) for n in nodes) else SHORT
                    innermost = "5" if variable.extent in short and stays else "1"
                    self._name_places(nodes, variable)
                loops.enter_context(ops.loop(variable, "0", stop, innermost))
            ops.group = "0" if domain.columns > 1 or (domain.rows > 1 and not domain.loops) else None
            for node in nodes:
                self._element(node, slots)
            ops.group = None
        for node in nodes:
            if node.buffer.number in slots:
                self._gathered(node, *slots[node.buffer.number])

    def _name_places(self, nodes: list[Node], variable: Variable) -> None:
        """Name the places of gathered rows before the loop over their elements.

        LLVM cannot tell that what is written there is no index, would read it again for each element, and see
        no row in memory.
        """
        for node in nodes:
            where = self.places[node.buffer.number]
            reads = [read.buffer for read in self._reads(node)]
            own = any(buffer.number in self.places for buffer in reads)
            steps = [index.coefficient(variable) for index in where.indices]
            is_written = isinstance(node, Map) and node.buffer.number in self.stored
            # Of places that are worked out nothing is read, and named they keep like steps from one kernel.
            is_gathered = any(b.dtype.kind in "iu" for b in reads) and analysis_of(node, where).places
            if not is_written or own or None in steps or not is_gathered:
                continue
            start = (i - atom_index(variable) * (n or 0) for i, n in zip(where.indices, steps, strict=True))
            node.body(self.ops, tuple(start))  # type: ignore[attr-defined]  # maps and reductions have one

    @contextmanager
    def _lanes(self) -> Iterator[None]:
        """Go along the lanes of a row."""
        ops, variable = self.ops, self.domain.loops[-1]
        with ops.loop(variable, "0", str(variable.extent), "5" if variable.extent in SHORT else "1"):
            ops.group = "0"
            yield
            ops.group = None

    def _stands_alone(self) -> bool:
        """Return whether the loop over rows cannot be vectorized: its rows are no stretch of memory, what one
        reads is found by dividing its number, or what one computes is written element by element, or gathered
        in memory.
        """
        if self.domain.laned or any(index.divides() for _, index, _ in self.accesses.reads):
            return True
        written = any(self.places[n].kind == ELEMENT for n in self.accesses.writes if n in self.stored)
        if written and not self.in_lanes:
            return True
        gathers = any(place.kind == COLUMN for place in self.places.values())
        in_memory = bool(self.ops.rows.keys() - self.ops.arrays)
        return in_memory or gathers or self.domain.kept != tuple(range(len(self.domain.kept)))

    def _fills_lanes(self) -> bool:
        """Return whether rows are better lanes than loops: they fill no registers, and take long."""
        domain = self.domain
        if domain.rows < LEAST_ROWS or domain.columns > WIDEST or domain.columns % LINE == 0 or domain.laned:
            return False
        return any(self._takes_long(node) for node in self.kernel.nodes)

    def _takes_long(self, node: Node) -> bool:
        """Return whether a node takes functions, or where a row is less than a register, many operations."""
        where = place(node, self.domain)
        assert where is not None
        if analysis_of(node, where).count < Analysis.FUNCTION:
            return False
        # Of what goes element by element no more than the number of operations is known without running it.
        analysis = Analysis()
        node.body(analysis, where.indices)  # type: ignore[attr-defined]  # maps and reductions have one
        return self.domain.columns < LINE or analysis.functions > 0

    def _block_end(self) -> str:
        ops, size = self.ops, self.domain.size
        if size % BLOCK == 0:
            return str(BLOCK)
        start = ops.position(atom_index(self.domain.row) * BLOCK)
        rest = ops.value(f"sub nsw i64 {size}, {start}")
        symbol = ops.module.declare("llvm.smin.i64", "i64", "i64", "i64")
        return ops.value(f"call i64 @{symbol}(i64 {rest}, i64 {BLOCK})")

    def _element(self, node: Node, slots: dict[int, tuple[str, np.dtype[Any]]]) -> None:
        ops, where = self.ops, self.places[node.buffer.number]
        value = node.body(ops, where.indices)  # type: ignore[attr-defined]  # maps and reductions have one
        if isinstance(node, Map):
            self._keep(node, where, value)
            ops.forward(node.buffer, where.store, value)
            return
        assert isinstance(node, Reduction)
        if where.kind in (LANE, COLUMN):
            _, buffer = self.spares.get(node.buffer.number, (node.buffer, node.buffer))
            before = ops.load(buffer, where.store)
            ops.store(buffer, where.store, combined(ops, node.combine, before, value, buffer.dtype))
            return
        slot, dtype = slots[node.buffer.number]
        self._gather(node, slot, dtype, value)

    def _keep(self, node: Node, where: Place, value: Value) -> None:
        if node.buffer.number in self.stored:
            self.ops.store(node.buffer, where.store, value)

    def _gather(self, node: Reduction, slot: str, dtype: np.dtype[Any], value: Value) -> None:
        ops = self.ops
        # A row is one loop, whatever threads there are: which of 0 and -0 its extreme is may follow.
        # To order them would be half of the loop's instructions on x86.
        after = combined(ops, node.combine, ops.held(slot, dtype), value, dtype, signed=False)
        ops.line(f"store {TYPES[dtype]} {after.name}, ptr {slot}")

    def _gathered(self, node: Node, slot: str, dtype: np.dtype[Any]) -> None:
        """Note after a row's loop that its reduction is known."""
        ops, where = self.ops, self.places[node.buffer.number]
        assert isinstance(node, Reduction)
        value = ops.held(slot, dtype)
        if where.kind == ALL:
            self._gather(
                node, *self.totals[node.buffer.number], ops.cast(value, self.totals[node.buffer.number][1])
            )
            return
        value = ops.cast(value, node.buffer.dtype)
        self._keep(node, where, value)
        ops.forward(node.buffer, where.store, value)

    def _row(self, stage: int) -> None:
        """Write the maps of a row's values, and totals of them."""
        ops = self.ops
        for node in self.kernel.nodes:
            where = self.places[node.buffer.number]
            if self.stages[node.buffer.number] != stage:
                continue
            if where.kind == ROW and isinstance(node, Map):
                value = node.body(ops, where.indices)
                self._keep(node, where, value)
                ops.forward(node.buffer, where.store, value)
            elif where.kind == LANE and isinstance(node, Map):
                with self._lanes():
                    self._keep(node, where, node.body(ops, where.indices))
            elif self._over_rows(node):
                assert isinstance(node, Reduction)
                slot, dtype = self.totals[node.buffer.number]
                self._gather(node, slot, dtype, ops.cast(node.body(ops, where.indices), dtype))

    def _finish(self) -> None:
        ops = self.ops
        for node in self.kernel.nodes:
            if (number_ := node.buffer.number) in self.totals:
                slot, dtype = self.totals[number_]
                ops.store(node.buffer, constant(0), ops.cast(ops.held(slot, dtype), node.buffer.dtype))
