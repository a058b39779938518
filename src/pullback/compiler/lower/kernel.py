"""Say which nodes one kernel can take: those that share an iteration space, and where each of them stands."""

from math import prod
from typing import Any

import numpy as np

from ...array.named_tuples import NamedTuple
from ..emit.scalars import computing
from .domain import BLOCK, WIDTH, Domain, flat, in_lanes, once, reduced, split, stream
from .filling import Node
from .handlers import Analysis, Read
from .index import ZERO, Index, Indices, constant, linear, strides_of
from .lowered import Map, Reduction, Shape

# Where a node runs: for every element, once a row, once a row and lane, or gathered over columns or over
# everything.
ELEMENT, ROW, LANE, COLUMN, ALL = "element", "row", "lane", "column", "all"


class Place(NamedTuple):
    """Say where a node stands in a kernel's space."""

    kind: str
    #: Indices that its body gets.
    indices: Indices
    #: Position in its buffer that one run of the body concerns.
    store: Index


def place(node: Node, domain: Domain) -> Place | None:
    """Return how a node fits into a space; None when it does not."""
    if isinstance(node, Map):
        return _of_map(node.shape, domain)
    assert isinstance(node, Reduction)
    return _of_reduction(node.shape, node.axes, node.buffer.dtype, domain)


@once
def _of_map(shape: Shape, domain: Domain) -> Place | None:
    if (size := prod(shape)) == domain.size:
        indices = domain.indices(shape)
        return Place(ELEMENT, indices, linear(indices, strides_of(shape)))
    if domain.laned:
        if size != domain.rows * domain.lanes:
            return None
        indices = domain.lane_indices(shape)
        return Place(LANE, indices, linear(indices, strides_of(shape)))
    if size == domain.rows and not domain.blocked:
        indices = domain.row_indices(shape)
        return Place(ROW, indices, linear(indices, strides_of(shape)))
    return None


@once
def _of_reduction(shape: Shape, axes: tuple[int, ...], dtype: np.dtype[Any], domain: Domain) -> Place | None:
    size = prod(shape)
    kept = [n for a, n in enumerate(shape) if a not in axes]
    if size == domain.size:
        indices = domain.indices(shape)
        store = linear((indices[a] for a in range(len(shape)) if a not in axes), strides_of(kept))
        used = store.variables()
        inner = {v.name for v in domain.loops if v.extent > 1}
        if prod(kept) == 1:
            return Place(ALL, indices, constant(0))
        if domain.laned:
            fits = used <= {domain.row.name, domain.loops[-1].name} and dtype == computing(dtype)
            return Place(LANE, indices, store) if fits and prod(kept) == domain.rows * domain.lanes else None
        if not used & inner and prod(kept) == domain.rows:
            return Place(ROW, indices, store)
        if domain.row.name not in used and prod(kept) == domain.columns and not domain.blocked:
            return Place(COLUMN, indices, store)
        return None
    if size == domain.rows and prod(kept) == 1 and not domain.blocked and not domain.laned:
        return Place(ALL, domain.row_indices(shape), constant(0))
    return None


#: Rows, and operations of a map, at least and for each column, from which it fills vector registers with rows
#: in a kernel of its own rather than going beside a loop over columns: a likelihood of 1,500 rows of 6 took
#: 190 µs there.
_MANY_ROWS, _MANY_OPERATIONS, _FOR_EACH_COLUMN = 64, 12, 2


def _is_slow_in_rows(node: Node, where: Place, space: Domain) -> bool:
    """Return whether a map, or what is gathered over rows, takes long, computed once a row."""
    once = where.kind == ROW if isinstance(node, Map) else where.kind == ALL and _size(node) == space.rows
    if not once or not space.loops:
        return False
    least = max(_MANY_OPERATIONS, _FOR_EACH_COLUMN * space.columns)
    return space.rows >= _MANY_ROWS and space.columns > 1 and analysis_of(node, where).count >= least


def _size(node: Node) -> int:
    """Return how many elements a node goes over."""
    return prod(node.shape)  # type: ignore[attr-defined]  # maps and reductions have one


def read_by(node: Node, where: Place) -> list[Read]:
    """Return what a node's body reads."""
    return analysis_of(node, where).reads


def analysis_of(node: Node, where: Place) -> Analysis:
    """Return what a node's body reads and computes."""
    if node.seen is not None and node.seen[0] == where.indices:
        found: Analysis = node.seen[1]
        return found
    analysis = Analysis()
    if isinstance(node, Map) and node.even is not None:
        # As the body would: two thirds of what it took to plan 5,000 irregular ops on 16 elements.
        analysis.reads = [Read(b, where.store if b.shape else ZERO) for b in node.even]
        analysis.indices = [read.index for read in analysis.reads]
        analysis.count = node.count
    else:
        node.body(analysis, where.indices)  # type: ignore[attr-defined]  # maps and reductions have one
    node.seen = where.indices, analysis
    return analysis


def _space_of(node: Reduction) -> Domain:
    """Return the space of a reduction's loops."""
    lanes = in_lanes(node.shape, node.axes) if node.buffer.dtype == computing(node.buffer.dtype) else None
    last = node.shape[-1] if node.shape else 1
    # Lanes that repeat by whole registers are read without a division: 107 µs together, 245 apart.
    if lanes is not None and (last % WIDTH == 0 or not _divisions(node, lanes)):
        return lanes
    if lanes is not None and last < 2 * WIDTH and len(lanes.inner) == 2:
        return lanes
    together = lanes if lanes is not None and last >= 2 * WIDTH else reduced(node.shape, node.axes)
    if last >= WIDTH and _divisions(node, together):
        # What repeats along an axis is read at a rest of the place, unless the axis has a loop of its own:
        # sums of (33, 65, 17, 31) times (33, 1, 17, 1) over axis 1 took 960 µs, and take 260.
        apart = together.with_last_apart()
        return apart if _divisions(node, apart) < _divisions(node, together) else together
    return together


def _divisions(node: Reduction, domain: Domain) -> int:
    """Return how many places that a body reads are found by division in a space's innermost loop."""
    analysis = Analysis()
    node.body(analysis, domain.indices(node.shape))
    innermost = domain.loops[-1:]
    return sum(index.coefficient(v) is None for v in innermost for index in analysis.indices)


class Kernel:
    """Nodes over one space."""

    def __init__(self, node: Node) -> None:
        #: In an order in which each may read what earlier ones fill.
        self.nodes: list[Node] = []
        self.shape: tuple[int, ...] = node.shape  # type: ignore[attr-defined]  # maps and reductions have one
        #: None while only maps are in it: then the cut is chosen when it is emitted.
        self.domain: Domain | None = None
        self.fills: dict[int, Node] = {}
        #: Numbers of all buffers that it reads or fills.
        self.buffers: set[int] = set()
        self._places: dict[int, Place] = {}
        self._space = split(self.shape, 0)
        domain = _space_of(node) if isinstance(node, Reduction) else None
        self._take(node, domain, self._placed([node], domain or self._space, {}) or {})

    def _take(self, node: Node, domain: Domain | None, places: dict[int, Place]) -> None:
        self.nodes.append(node)
        self.fills[node.buffer.number] = node
        self.buffers |= {b.number for b in (*node.reads, node.buffer)}
        if domain is not None and domain is not self.domain:
            self.domain = self._space = domain
        self._places = places

    @property
    def size(self) -> int:
        """Return elements of the space."""
        return prod(self.shape)

    def accept(self, node: Node) -> bool:
        """Take a node in when it fits and reads what the kernel fills only where the same pass fills it."""
        if isinstance(node, Map) and prod(node.shape) == 1 and self.domain is None and self.size > BLOCK:
            # One number beside the elements of a long array would keep the array from being cut.
            return False
        if self.domain is not None or isinstance(node, Map):
            if (places := self._placed([node], self._space, self._places)) is not None:
                self._take(node, self.domain, places)
            return places is not None
        if _size(node) != self.size:
            return False
        domain = _space_of(node)  # type: ignore[arg-type]  # a reduction
        if (places := self._placed([*self.nodes, node], domain, {})) is not None:
            self._take(node, domain, places)
        return places is not None

    def _placed(self, nodes: list[Node], space: Domain, before: dict[int, Place]) -> dict[int, Place] | None:
        """Return the places of `nodes` added to those of `before`; None when one does not fit."""
        added: dict[int, Place] = {}
        for node in nodes:
            if (where := place(node, space)) is None or _is_slow_in_rows(node, where, space):
                return None
            for read in read_by(node, where):
                filled = added.get(read.buffer.number) or before.get(read.buffer.number)
                if filled is None:
                    continue
                if filled.kind in (COLUMN, ALL) or read.index != filled.store:
                    return None
                if filled.kind == ELEMENT and where.kind in (ROW, LANE) and isinstance(node, Map):
                    return None
            added[node.buffer.number] = where
        before.update(added)
        return before

    def settle(self) -> Domain:
        """Choose the cut of a space of maps: the longest innermost loop in which all accesses are affine."""
        if self.domain is not None:
            if not self.domain.kept and self.domain.size > BLOCK and self._affine(flat(self.domain.size)):
                self.domain = flat(self.domain.size)
            return self.domain
        choices = [stream(self.size)] if self.size > 1 else []
        choices += [split(self.shape, count) for count in range(len(self.shape))]
        for choice in choices:
            if self._affine(choice):
                self.domain = choice
                return choice
        # One number beside the elements has a place where all of them are one row.
        rows = split(self.shape, max(len(self.shape) - 1, 0))
        fits = all(place(node, rows) is not None for node in self.nodes)
        self.domain = rows if fits else self._space
        return self.domain

    def _affine(self, domain: Domain) -> bool:
        innermost = domain.loops[-1] if domain.loops else domain.row
        for node in self.nodes:
            where = place(node, domain)
            if where is None or (where.kind == ROW and not domain.loops):
                return False
            for index in (*(read.index for read in read_by(node, where)), where.store):
                if index.coefficient(innermost) is None:
                    return False
        return True
