"""The nodes that a call with a plan leaves behind (`planning`): told by those of a call without elements, and
compared with those of the call itself.

A call on tensors without elements records nodes as any call does. Their edges and what they saved say where
all of it comes from: from an argument, from what is computed, from another node, or it is always the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from numpy import ndarray

from ...array.named_tuples import NamedTuple
from ...core.calls import edge_of
from ...core.node import AccumulateGrad, MultiNode, Node, Output, edge_target
from ...core.saved import FROZEN
from ...core.underivable import Underivable
from ...core.value import TensorBase
from ...core.versions import Joined
from ...core.view_nodes import CopySlices
from ...core.views import View


class Unplanned(Exception):
    """Say that a call is none whose like can be known."""


class Before(Node):
    """Stand for the node behind a tensor that a call writes to, by the number of the tensor."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


#: Where something comes from: it is always the same; the array of a tensor, its version counter, the version
#: that it has, the edge that leads to it; a node, and an output of one; a counter of several tensors.
CONSTANT, ARRAY, COUNTER, VERSION, EDGE, NODE, OUTPUT, JOINED = range(8)


class Source(NamedTuple):
    """Tell where something comes from: in which way, from which tensor or node, and a value: what is always
    the same, which output, or which tensors.

    Tensors are numbered as they are given, then those that are computed, then arrays that nodes alone hold.
    """

    kind: int
    which: int = 0
    value: Any = None


class Left(NamedTuple):
    """Tell a node by its class, edges, what it saved, the shape and dtype of what it gave, and what else it
    has, with its names.
    """

    node_class: type[Node]
    edges: tuple[Source, ...]
    saved: tuple[Source, ...]
    shape: Any
    dtype: Any
    own: tuple[tuple[str, Any], ...] = ()


class History:
    """The nodes of a call, oldest first, from the edges that lead to the results.

    `given` are the tensors that were given, without elements, `known` those with the ones that were computed
    behind them. `held` are values without elements that nodes alone hold, so that nothing can be written to
    them.
    """

    def __init__(self, given: Sequence[Any], known: Sequence[Any], edges: Iterable[Any]) -> None:
        self._given = [id(v) for v in given]
        self._values = {id(v._value): k for k, v in enumerate(known)}
        self._counters = {id(v._counter): k for k, v in enumerate(known)}
        self.held: list[Any] = []
        found = sorted(set(_reached(edges)), key=lambda node: node._seq)
        self._places = {node: k for k, node in enumerate(found)}
        self._alive = (found, given, known)
        self.nodes = [self._left(node) for node in found]

    def source(self, edge: Any) -> Source:
        """Return where an edge comes from."""
        if edge is None:
            return Source(CONSTANT)
        node, index = edge_target(edge)
        if type(node) is Before:
            return Source(EDGE, node.number)
        if type(node) is AccumulateGrad and id(node.variable) in self._given:
            return Source(EDGE, self._given.index(id(node.variable)))
        if node not in self._places:
            raise Unplanned
        place = self._places[node]
        return Source(OUTPUT, place, index) if type(edge) is Output else Source(NODE, place)

    def _left(self, node: Node) -> Left:
        op = node._op
        edges = tuple([self.source(edge) for edge in node._edges])
        if type(node) is CopySlices:
            own = tuple([(name, getattr(node, name)) for name in CopySlices.__slots__])
            return Left(CopySlices, edges, (), node._shape, node._dtype, own)
        saved: list[Source] = []
        for k in range(0, 3 * op.layout.count, 3):
            saved += self._saved(*node._saved[k : k + 3])
        saved += [Source(CONSTANT, value=v) for v in node._saved[3 * op.layout.count :]]
        return Left(op.node_class, edges, tuple(saved), node._shape, node._dtype)

    def _saved(self, value: Any, counter: Any, version: Any) -> Iterator[Source]:
        if isinstance(value, TensorBase):  # one with elements, which the function made
            yield Source(CONSTANT, value=_kept(value._value))
        elif getattr(value, "name", None) is None:
            yield Source(CONSTANT, value=value)
        else:
            yield Source(ARRAY, self._number(value))
        which = self._counters.get(id(counter))
        if which is not None:
            yield Source(COUNTER, which)
            yield Source(VERSION, which)
        elif type(counter) is Joined and all(id(part[1]) in self._counters for part in counter.parts):
            yield Source(JOINED, value=tuple([self._counters[id(part[1])] for part in counter.parts]))
            yield Source(CONSTANT, value=0)
        elif type(counter) is list and version == 0:
            yield Source(CONSTANT, value=FROZEN)
            yield Source(CONSTANT, value=0)
        else:
            raise Unplanned

    def _number(self, value: Any) -> int:
        found = self._values.get(id(value))
        if found is not None:
            return found
        if not any(value is held for held in self.held):
            self.held.append(value)
        return len(self._alive[2]) + next(k for k, held in enumerate(self.held) if held is value)

    def check(self, tensors: Sequence[Any], held: Sequence[ndarray], ends: Iterable[tuple[Any, Any]]) -> None:
        """Raise where a call recorded other nodes than these.

        `tensors` are those of the call, given and then computed; `held` is what nodes alone hold, as it is
        computed for them; `ends` are pairs of what leads to a result, and to the one without elements.
        """
        comparison = _Comparison(self.nodes, tensors, held)
        if not all(comparison.is_edge(edge, self.source(own)) for edge, own in ends):
            raise Unplanned
        order = [comparison.nodes[k]._seq for k in range(len(self.nodes)) if k in comparison.nodes]
        if len(order) < len(self.nodes) or order != sorted(order):
            raise Unplanned


def _kept(value: Any) -> ndarray:
    if type(value) is not ndarray or value.ndim:
        raise Unplanned
    kept = value.copy()
    kept.flags.writeable = False
    return kept


def _reached(edges: Iterable[Any]) -> Iterator[Node]:
    """Yield the nodes that edges lead to, leaves aside."""
    stack = [edge_target(edge)[0] for edge in edges if edge is not None]
    seen: set[Node] = set()
    while stack:
        node = stack.pop()
        if node in seen or type(node) is AccumulateGrad or type(node) is Before:
            continue
        seen.add(node)
        if type(node) is not CopySlices:
            if not isinstance(node, Node) or node._op is None or type(node) is not node._op.general_class:
                raise Unplanned
            if isinstance(node, Underivable):
                raise Unplanned
        yield node
        stack += [edge_target(edge)[0] for edge in node._edges if edge is not None]


class _Comparison:
    """Compare what was recorded with what is told of it."""

    def __init__(self, left: Sequence[Left], tensors: Sequence[Any], held: Sequence[ndarray]) -> None:
        self._left, self._tensors, self._held = left, tensors, held
        self._counters = {id(v._counter) for v in tensors}
        #: The nodes by their numbers.
        self.nodes: dict[int, Node] = {}

    def is_edge(self, edge: Any, source: Source) -> bool:
        if source.kind == CONSTANT:
            return edge is None
        if source.kind == EDGE:
            if type(edge) is Before:
                return edge.number == source.which
            return edge is not None and edge is edge_of(self._tensors[source.which])
        if source.kind == OUTPUT:
            if type(edge) is not Output or edge.index != source.value:
                return False
            edge = edge.node
        return isinstance(edge, Node) and self._is_node(edge, source.which)

    def _is_node(self, node: Node, number: int) -> bool:
        if number in self.nodes:
            return self.nodes[number] is node
        self.nodes[number] = node
        left = self._left[number]
        return (
            node._op is left.node_class._op
            and isinstance(node, MultiNode) is issubclass(left.node_class, MultiNode)
            and (node._shape, node._dtype) == (left.shape, left.dtype)
            and all(getattr(node, name, None) == value for name, value in left.own)
            and len(node._saved) == len(left.saved) and len(node._edges) == len(left.edges)
            and all(map(self._is_saved, node._saved, left.saved))
            and all(map(self.is_edge, node._edges, left.edges))
        )  # fmt: skip

    def _is_saved(self, value: Any, source: Source) -> bool:
        kind, which, expected = source
        if kind == ARRAY:
            given = len(self._tensors)
            if which < given:
                return value is self._tensors[which]._value
            return _is_same(value, self._held[which - given])
        if kind == COUNTER:
            return value is self._tensors[which]._counter
        if kind == VERSION:
            return bool(value == self._tensors[which]._counter[0])
        if kind == JOINED:
            tensors = [self._tensors[k] for k in expected]
            return type(value) is Joined and value.is_of(tensors)
        if expected is FROZEN:
            return type(value) is list and value[0] == 0 and id(value) not in self._counters
        if isinstance(expected, ndarray):
            return _is_same(value, expected)
        return value is expected or (type(value) is type(expected) and bool(value == expected))


def _is_same(value: Any, expected: ndarray) -> bool:
    return (
        type(value) is ndarray and value.dtype is expected.dtype and value.shape == expected.shape
        and _steps(value) == _steps(expected) and value.tobytes() == expected.tobytes()
    )  # fmt: skip


def _steps(array: ndarray) -> list[int]:
    """Return the strides of the axes along which there are several elements."""
    return [stride for stride, size in zip(array.strides, array.shape, strict=True) if size > 1]


def steps_behind(record: View, tensor: Any) -> tuple[Any, ...]:
    """Return the steps of a view behind those of the tensor that it was taken of, or raise `Unplanned` where
    it was taken of another one.
    """
    above = tensor._view
    if above is None:
        if record.base is not tensor:
            raise Unplanned
        return record.steps
    before = above.steps
    if record.base is not above.base or record.steps[: len(before)] != before:
        raise Unplanned
    return record.steps[len(before) :]
