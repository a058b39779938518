"""The node that a compiled function puts behind its results: its pullback is a compiled program, too."""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Sequence
from itertools import islice
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

import numpy as np
from numpy import ndarray

from ...core.backward_task import Task, running
from ...core.batched import Batched, each_row
from ...core.blame import freed_at_instruction, freed_by_caller, is_freed, next_sequence, numbers, stamp
from ...core.dual import Dual
from ...core.graph_errors import is_freed_graph
from ...core.node import MultiNode, Output, accumulator, edge_target
from ...core.saved import saved_errors
from ...core.value import InnerValue, TensorBase, wrap
from ...core.versions import is_stale

if TYPE_CHECKING:
    from .apart import Apart

_new = object.__new__


class CompiledFunctionBackward(MultiNode):
    """One call of a compiled function.

    ``_saved`` holds entries (array, version counter, version, tensor) of what the pullback reads: the tensor
    if its data are shown where it was assigned others since.
    """

    __slots__ = ("_positions", "_pull", "_refused")

    __module__ = "torch.autograd.function"

    _frees = True
    _pull: Callable[..., Sequence[ndarray | None]]
    _positions: tuple[int | None, ...]
    _refused: Exception | None

    def backward(self, g: Any) -> tuple[Any, ...]:
        """Run the pullback on the covectors of the outputs, None for those that did not arrive."""
        saved = self._saved
        if self._refused is not None and not is_freed(saved):
            raise type(self._refused)(*self._refused.args)
        if is_freed(saved):
            raise saved_errors.freed(self)
        arrays = [entry[0] for entry in saved]
        for n, (value, counter, version, whose) in enumerate(saved):
            if counter is not None and counter[0] != version:
                if is_stale(counter, version):
                    error = saved_errors.damaged(self, value, counter, version, None)
                    raise saved_errors.blamed(error, self, counter, version)
                arrays[n] = value if whose is None else _present(value, whose)
        plain = [v._value if isinstance(v, TensorBase) else v for v in g]
        if any(isinstance(v, InnerValue) for v in plain):
            found = self._transformed(plain)
            if any(isinstance(v, TensorBase) for v in g):
                return tuple(wrap(r, None, r._level) if isinstance(r, InnerValue) else r for r in found)
            return found
        covectors = [None if v is None else np.asarray(v) for v in g]
        results = self._pull(arrays, covectors)
        return tuple(None if p is None else results[p] for p in self._positions)

    def _transformed(self, g: Sequence[Any]) -> tuple[Any, ...]:
        """Run the pullback, which is linear, on covectors of which some belong to transforms."""
        top = max((v for v in g if isinstance(v, InnerValue)), key=lambda v: v._level)
        if type(top) is Batched:
            return each_row(self.backward, g)
        if type(top) is not Dual:
            raise RuntimeError("compile: the backward of a compiled function is traced, or transformed")
        moves = [isinstance(v, Dual) and v._level == top._level for v in g]
        primal = self.backward([v.primal if m else v for v, m in zip(g, moves, strict=True)])
        tangent = self.backward([v.tangent if m else None for v, m in zip(g, moves, strict=True)])
        return tuple(p if t is None else Dual(p, t, top._level) for p, t in zip(primal, tangent, strict=True))

    def backward_graph(self, g: object) -> tuple[Any, ...]:
        """Refuse: what native code computes is not recorded."""
        error = RuntimeError("torch.compile with aot_autograd does not currently support double backward")
        error.add_note(
            "Compile the function that calls backward twice as a whole, or call it without compile."
        )
        raise error


class _MultiOutputNode(CompiledFunctionBackward):
    """The node of several results, until what arrives at one of them is looked at: then each has its own."""

    __slots__ = ("_apart", "_gone", "_kept", "_last", "_numbers", "_overlaps", "_spent")

    _apart: Apart
    #: Numbers that lie between its inputs' and its own.
    _numbers: Sequence[int]

    def apart(self, edge: Output) -> Output:
        """Return the edge to the result's own node."""
        if len(self._shape) == 1:
            return edge
        nodes: dict[int, _OutputNode] = {}
        parts = self._apart.parts()
        for k, number in zip(self._apart.order, self._numbers, strict=True):
            part = parts[k]
            nodes[k] = node = _new(_OutputNode if k in self._apart.beside[k] else _UnsavingNode)
            earlier = [Output(nodes[j], 0) for j in part.earlier]
            node._edges = (*earlier, *(self._edges[n] for n in part.leaves))
            node._saved, node._shape, node._dtype = self._saved_of(k), (self._shape[k],), (self._dtype[k],)
            node._pull, node._positions, node._refused = part.pull, part.positions, None
            node._hooks, node._seq, node._code, node._at = None, number, self._code, self._at
            node._freed, node._is_bare = None, k in self._apart.bare
        for k, beside in enumerate(self._apart.beside):
            nodes[k]._beside = [ref(nodes[j]) for j in beside if j != k]
        self._edges = tuple(Output(nodes[k], 0) for k in range(len(nodes)))
        # No array has such a dtype: native code leaves it to `send` to follow the edges.
        self._saved, self._dtype, self.__class__ = (), (None,) * len(nodes), _SplitNode
        return self.apart(edge)

    def _saved_of(self, result: int) -> tuple[Any, ...]:
        """Return what the node of a result alone has saved."""
        return self._saved


class _SplitNode(_MultiOutputNode):
    """The node of several results that each have their own now, to which all edges to this one lead."""

    __slots__ = ()

    is_parted = True

    def apart(self, edge: Output) -> Output:
        return self._edges[edge.index]  # type: ignore[return-value]  # those that were made above


class _OutputNode(CompiledFunctionBackward):
    """The node of one of several results; `_beside` are those whose backward frees what its own reads."""

    __slots__ = ("__weakref__", "_beside", "_freed", "_is_bare")

    _beside: Sequence[ref[_OutputNode]]
    #: What stands in place of what was saved after a backward that went on to leaves.
    _freed: tuple[Any, ...] | None
    #: Whether the operation that made the result has saved nothing.
    _is_bare: bool

    def backward(self, g: object) -> tuple[Any, ...]:
        """Run the pullback of the result unless another backward has freed what it reads."""
        task = running.get(get_ident(), Task(()))
        targets = [edge_target(edge)[0] for edge in self._edges]
        if self._is_bare and task.needed is not None and task.needed.isdisjoint(targets):
            return ()
        for reference in self._beside:
            node = reference()
            if node is not None and node._freed is not None and node._freed is not task.freed:
                self._saved = node._freed
        if task.needed is None or any(n in task.needed for n in targets if not isinstance(n, _OutputNode)):
            self._freed = task.freed or self._freed
        return super().backward(g)


class _UnsavingNode(_OutputNode):
    """The node of one of several results where eager saves nothing that it would free."""

    __slots__ = ()

    _frees = False


class _SeparableNode(_MultiOutputNode):
    """The node of results of which one's backward leaves others theirs: they share nothing that eager saves.

    What is saved is kept until no result is left that could be pulled back. `_last` are the results of the
    latest backward, which by the next one has freed what it reads, or not.
    """

    __slots__ = ()

    _overlaps: Sequence[set[int]]
    _spent: set[int]
    _last: set[int]
    _kept: Any
    _gone: Any

    def backward(self, g: Any) -> tuple[Any, ...]:
        """Run the pullback unless what the results read was freed with others'."""
        arrived = {n for n, v in enumerate(g) if v is not None}
        if not is_freed(self._saved):
            self._kept = self._saved
        else:
            self._gone = self._saved
            self._spent |= self._last
            if self._kept is not None and self._are_left(arrived, self._spent):
                self._saved = self._kept
        if not self._are_left(arrived, self._spent):
            self._saved, self._last = self._gone, set()
            return super().backward(g)
        self._last = arrived
        spent = self._spent | arrived
        if not any(self._are_left({n}, spent) for n in range(len(self._overlaps))):
            self._kept = None
        return super().backward(g)

    def _saved_of(self, result: int) -> tuple[Any, ...]:
        freed = is_freed(self._saved)
        if self._are_left({result}, self._spent | self._last if freed else self._spent):
            return self._kept if freed else self._saved
        return self._saved if freed else self._gone

    def _are_left(self, results: set[int], spent: set[int]) -> bool:
        return all(spent.isdisjoint(self._overlaps[n]) for n in results)


class _FreedNode(CompiledFunctionBackward):
    """The node of what the function has pulled back itself, whose edges are made when asked for."""

    __slots__ = ("_leaves",)

    _leaves: tuple[Any, ...]

    @property
    def _edges(self) -> tuple[Any, ...]:  # type: ignore[override]  # read like the slot, and never assigned
        return tuple(map(accumulator, self._leaves))


for _kind in (_MultiOutputNode, _SplitNode, _OutputNode, _UnsavingNode, _SeparableNode, _FreedNode):
    _kind.__name__ = _kind.__qualname__ = CompiledFunctionBackward.__name__
    _kind.__module__ = CompiledFunctionBackward.__module__


def spent(shape: tuple[int, ...], dtype: np.dtype[Any], leaves: int) -> Callable[[Any, FrameType], Any]:
    """Return what makes, of leaves and the user's frame, a node of what the function pulled back."""
    shapes, dtypes, positions = (shape,), (dtype,), (None,) * leaves

    def node(leaves: tuple[Any, ...], frame: FrameType) -> _FreedNode:
        made: _FreedNode = _new(_FreedNode)
        made._leaves = leaves
        made._shape = shapes
        made._dtype = dtypes
        made._pull = _never
        made._positions = positions
        made._refused = None
        made._hooks = None
        made._code = code = frame.f_code
        made._at = at = frame.f_lasti
        made._saved = freed_at_instruction(code, at)
        made._seq = next_sequence()
        return made

    return node


def boundary(
    edges: Sequence[Any], saved: Sequence[tuple[ndarray, Any, int, Any]], shapes: Sequence[tuple[int, ...]],
    dtypes: Sequence[np.dtype[Any]], pull: Callable[..., Sequence[ndarray | None]],
    positions: Sequence[int | None], refused: Exception | None = None,
    apart: Apart | None = None,
) -> CompiledFunctionBackward:  # fmt: skip
    """Make the node of a call, from the edges of the inputs that require grad.

    `saved` is what the pullback reads (see `CompiledFunctionBackward`); shapes and dtypes are of the outputs
    that require grad. ``pull(saved arrays, covectors)`` gives the covectors of inputs; a covector may be
    None. For each edge `positions` has which of these is its covector, None for an input that the outputs do
    not vary with. `refused` is the error of what cannot be pulled back, `apart` the pullback of each output
    alone, where there are several.
    """
    if apart is None:
        node = _new(CompiledFunctionBackward)
    else:
        if apart.overlaps is None:
            node = _new(_MultiOutputNode)
        else:
            node = _new(_SeparableNode)
            node._overlaps, node._spent, node._last, node._kept = apart.overlaps, set(), set(), None
        node._apart, node._numbers = apart, [*islice(numbers, len(shapes))]
    node._edges = tuple(edges)
    node._saved = tuple(saved)
    node._shape = tuple(shapes)
    node._dtype = tuple(dtypes)
    node._pull = pull
    node._positions = tuple(positions)
    node._refused = refused
    stamp(node)
    return node


def refusal(
    shape: tuple[int, ...], dtype: np.dtype[Any], error: Exception, led_to: Sequence[int]
) -> Callable[[Sequence[Any]], Any]:  # fmt: skip
    """Return what makes the node of a result that cannot be pulled back, from the edges of a call's inputs.
    Its history leads to those at the places `led_to`.

    Where the function has pulled the result back itself, the node counts as freed by the function's caller.
    """
    freed = is_freed_graph(error)

    def node(edges: Sequence[Any]) -> CompiledFunctionBackward:
        saved = freed_by_caller(3) if freed else ()
        edges = [edges[n] for n in led_to]
        positions = [None] * len(edges)
        return boundary(edges, saved, [shape], [dtype], _never, positions, None if freed else error)

    return node


def _present(value: ndarray, tensor: Any) -> ndarray:
    """Return what a tensor holds by now of which `value` was saved, laid out like that."""
    now = tensor._value
    if now is value or (type(now), now.shape, now.dtype) != (ndarray, value.shape, value.dtype):
        return value
    shown = np.empty_like(value)
    shown[...] = now
    return shown


def _never(saved: object, covectors: object) -> NoReturn:
    raise AssertionError("a pullback that is refused was run")
