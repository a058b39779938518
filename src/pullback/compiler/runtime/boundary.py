"""The node that a compiled function puts behind its results: its pullback is a compiled program, too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, NoReturn

import numpy as np
from numpy import ndarray

from ...core.batched import Batched, each_row
from ...core.blame import freed_at_instruction, freed_by_caller, is_freed, next_sequence, stamp
from ...core.dual import Dual
from ...core.graph_errors import is_freed_graph
from ...core.node import MultiNode, accumulator
from ...core.saved import saved_errors
from ...core.value import InnerValue, TensorBase, wrap
from ...core.versions import is_stale

_new = object.__new__


class CompiledFunctionBackward(MultiNode):
    """One call of a compiled function.

    ``_saved`` holds entries (array, version counter, version) of what the pullback reads.
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
        for value, counter, version in saved:
            if counter is not None and is_stale(counter, version):
                error = saved_errors.damaged(self, value, counter, version, None)
                raise saved_errors.blamed(error, self, counter, version)
        plain = [v._value if isinstance(v, TensorBase) else v for v in g]
        if any(isinstance(v, InnerValue) for v in plain):
            found = self._transformed(plain)
            if any(isinstance(v, TensorBase) for v in g):
                return tuple(wrap(r, None, r._level) if isinstance(r, InnerValue) else r for r in found)
            return found
        covectors = [None if v is None else np.asarray(v) for v in g]
        results = self._pull([entry[0] for entry in saved], covectors)
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

    def backward_graph(self, g: Any) -> tuple[Any, ...]:
        """Refuse: what native code computes is not recorded."""
        error = RuntimeError("torch.compile with aot_autograd does not currently support double backward")
        error.add_note(
            "Compile the function that calls backward twice as a whole, or call it without compile."
        )
        raise error


class _Separable(CompiledFunctionBackward):
    """The node of results of which one's backward leaves others theirs: they share nothing that eager saves.

    What is saved is kept until no result is left that could be pulled back. `_last` are the results of the
    latest backward, which by the next one has freed what it reads, or not.
    """

    __slots__ = ("_gone", "_kept", "_last", "_overlaps", "_spent")

    __module__ = "torch.autograd.function"

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

    def _are_left(self, results: set[int], spent: set[int]) -> bool:
        return all(spent.isdisjoint(self._overlaps[n]) for n in results)


_Separable.__name__ = _Separable.__qualname__ = CompiledFunctionBackward.__name__


class _Spent(CompiledFunctionBackward):
    """The node of what the function has pulled back itself; most are looked at by nobody, so the edges are
    made when they are asked for.
    """

    __slots__ = ("_leaves",)

    __module__ = "torch.autograd.function"

    _leaves: tuple[Any, ...]

    @property
    def _edges(self) -> tuple[Any, ...]:  # type: ignore[override]  # read like the slot, and never assigned
        return tuple(map(accumulator, self._leaves))


_Spent.__name__ = _Spent.__qualname__ = CompiledFunctionBackward.__name__


def spent(shape: tuple[int, ...], dtype: np.dtype[Any], leaves: int) -> Callable[[Any, FrameType], Any]:
    """Return what makes the node of a result that the function has pulled back itself, from the leaves among
    a call's inputs and the user's frame, whose backward it was.
    """
    shapes, dtypes, positions = (shape,), (dtype,), (None,) * leaves

    def node(leaves: tuple[Any, ...], frame: FrameType) -> _Spent:
        made: _Spent = _new(_Spent)
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
    edges: Sequence[Any], saved: Sequence[tuple[ndarray, Any, int]], shapes: Sequence[tuple[int, ...]],
    dtypes: Sequence[np.dtype[Any]], pull: Callable[..., Sequence[ndarray | None]],
    positions: Sequence[int | None], refused: Exception | None = None,
    overlaps: Sequence[set[int]] | None = None,
) -> CompiledFunctionBackward:  # fmt: skip
    """Make the node of a call.

    Parameters
    ----------
    edges
        Of the inputs that require grad.
    saved
        What the pullback reads, and the versions that it had.
    shapes, dtypes
        Of the outputs that require grad.
    pull
        ``pull(saved arrays, covectors)`` gives the covectors of inputs; a covector may be None.
    positions
        For each edge, which of these is its covector; None for an input that the outputs do not vary with.
    refused
        The error of what cannot be pulled back.
    overlaps
        For each output, those whose backward frees what its own reads; None where all share something.
    """
    node = _new(CompiledFunctionBackward if overlaps is None else _Separable)
    if isinstance(node, _Separable):
        node._overlaps, node._spent, node._last, node._kept = overlaps or (), set(), set(), None
    node._edges = tuple(edges)
    node._saved = tuple(saved)
    node._shape = tuple(shapes)
    node._dtype = tuple(dtypes)
    node._pull = pull
    node._positions = tuple(positions)
    node._refused = refused
    stamp(node)
    return node


def refusal(shape: tuple[int, ...], dtype: np.dtype[Any], error: Exception) -> Callable[[Sequence[Any]], Any]:
    """Return what makes the node of a result that cannot be pulled back, from the edges of a call's inputs.

    Where the function has pulled the result back itself, the node counts as freed by the function's caller.
    """
    freed = is_freed_graph(error)

    def node(edges: Sequence[Any]) -> CompiledFunctionBackward:
        saved = freed_by_caller(3) if freed else ()
        positions = [None] * len(edges)
        return boundary(edges, saved, [shape], [dtype], _never, positions, None if freed else error)

    return node


def _never(saved: Any, covectors: Any) -> NoReturn:
    raise AssertionError("a pullback that is refused was run")
