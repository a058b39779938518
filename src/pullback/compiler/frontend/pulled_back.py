"""Pull the results of a trace back, and find what each covector reaches and which results refuse one."""

from __future__ import annotations

import sys
from collections.abc import Collection, Container, Iterator, Sequence
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING, Any

from ...core import engine, saved_errors
from ...core.backward_task import Capture
from ...core.blame import has_saved, is_freed
from ...core.calls import edge_of
from ...core.graph_errors import INTERPRETS, is_freed_graph
from ...core.node import LEAF, AccumulateGrad, Output, accumulator, edge_target
from ...core.op import TABLE
from ..runtime.apart import Apart
from .captured import Captured, Kind
from .cells import Cells
from .results import Made
from .state.session import Session
from .unsupported import Unsupported

if TYPE_CHECKING:
    from ...core.node import Node

#: Of more results than this, each counts as reaching every tensor that any of them reaches.
MANY = 16


class ResultsPulledBack:
    """The covectors of the results of a trace, and what comes of them.

    Parameters
    ----------
    out : Captured
        Its fields `pulled`, `refused` and `later` are set; `made` is told which results are refused.
    roots
        The results that have a history; those that cannot be pulled back are taken out.
    made
        The tensors among the results.

    Attributes
    ----------
    pulled : list
        What arrives at each leaf among the cells; None where nothing does.
    totals : list
        What arrives at each root.
    reached : list of set of int
        For each root, the leaves that its own covector arrives at.
    themselves : dict of int to int
        Values that operations have saved of cells themselves, and the cells.
    """

    def __init__(
        self, out: Captured, cells: Cells, session: Session, roots: list[Any], made: Sequence[Any]
    ) -> None:
        self._cells = cells
        self._roots = roots
        self._recorder = recorder = cells.recorder
        self._wanted = [at for at, t in enumerate(cells.tensors) if t._node is LEAF]
        #: One for each root.
        self.covectors: list[Any] = [recorder.new(t._value.shape, t._value.dtype) for t in roots]
        out.pulled = [(at, None) for at in self._wanted]
        count, before = len(recorder.equations), cells.held()
        with session.later() as out.later:
            try:
                found = self._pull_back(roots, self.covectors)
            except RuntimeError as error:
                # Mostly, the function has pulled back itself; a second time is refused, as in eager.
                refused = self._refused(error)
                del recorder.equations[count:]
                self._part(out, refused)
                found = self._pull_back(roots, self.covectors) if roots else []
            if mixed := self._find_saved_themselves(count, {at for at, _ in out.writes}):
                for number, saved in mixed.items():
                    self._set_apart(number, saved)
                del recorder.equations[count:]
                found = self._pull_back(roots, self.covectors)
            self.pulled, self.totals = found[: len(self._wanted)], found[len(self._wanted) :]
            self._check_ends(made)
            out.saved_themselves = self.themselves
            self.reached = self._reached()
        if any(a is not b for a, b in zip(before, cells.held(), strict=True)):
            raise Unsupported("pulling its results back writes to tensors, or calls backward")

    def _pull_back(self, roots: Sequence[Any], covectors: Sequence[Any]) -> list[Any]:
        token = INTERPRETS.set(False)
        try:
            # Eager comes to these, also where nothing arrives at what is wanted here.
            for node in _by_age(roots):
                if is_freed(node._saved):
                    raise saved_errors.freed(node)
            return self._pulled_back(roots, covectors)
        except RuntimeError as error:
            if is_freed_graph(error):
                raise
        finally:
            INTERPRETS.reset(token)
        # The error that every call will raise says what it means in the program.
        return self._pulled_back(roots, covectors)

    def _pulled_back(self, roots: Sequence[Any], covectors: Sequence[Any]) -> list[Any]:
        edges = [accumulator(self._cells.tensors[at]) for at in self._wanted]
        starts = [edge_of(t) for t in roots]
        nodes = [getattr(e, "node", e) for e in starts]
        found = Capture([*edges, *starts], nodes)
        pairs = list(zip(starts, covectors, strict=True))
        engine.run_backward(pairs, keep_graph=True, create_graph=False, capture=found, accumulate=False)
        return found.results

    def _check_ends(self, made: Sequence[Any]) -> None:
        """Refuse results that lead to leaves of the function's or to hooks: calls would tie them anew.

        A leaf out of reach may have handed out its gradient, to which a later pass adds, if one gets there.
        """
        results = set(map(id, made))
        for node in _nodes(self._roots):
            leaf = self._own_leaf(node)
            if leaf is not None and (id(leaf) in results or leaf._leaf_hooks is not None):
                raise Unsupported("a result leads back to a leaf that the function makes")
            if node._hooks:
                raise Unsupported("a hook stands on the way that covectors take from a result")
        for node in _nodes(self._roots, through_freed=False):
            grad = getattr(self._own_leaf(node), "_grad", None)
            # The leaf has it, and `grad`; the counter is in it alone where it has no views.
            if grad is not None and (sys.getrefcount(grad) > 3 or sys.getrefcount(grad._counter) > 2):
                raise Unsupported("a result leads back to a leaf whose gradient is handed out")

    def _own_leaf(self, node: Node) -> Any:
        """Return the leaf of the function's own that a node adds to; None for other nodes."""
        leaf = node.variable if isinstance(node, AccumulateGrad) else None
        return None if leaf is None or self._cells.is_cell(leaf) else leaf

    def _find_saved_themselves(
        self, count: int, written: Container[int]
    ) -> dict[int, list[tuple[Node, int]]]:
        """Find the cells that operations have saved themselves, which shows them data assigned later. Return
        where those are saved that the pullback reads otherwise, too.

        A view of a cell, or what was detached from it, keeps the memory that it has. What the call computes
        of a cell, as the first `count` equations say, the pullback need not compute again.
        """
        cells, makers = self._cells, {o: e for e in self._recorder.equations for o in e.outputs}
        places = {number: at for at, number in enumerate(cells.inputs) if at not in written}
        saved: dict[int, list[tuple[Node, int]]] = {}
        others: set[int] = set()
        for node in _nodes(self._roots):
            layout = None if node._op is None else node._op.layout
            pairs = () if layout is None else zip(node._saved[::3], layout.input_index, strict=False)
            for n, (value, i) in enumerate(pairs):
                number = getattr(value, "index", -1)
                edge = node._edges[i] if i >= 0 else None
                leaf = edge.variable if isinstance(edge, AccumulateGrad) else None
                if number in places and leaf is cells.tensors[places[number]]:
                    saved.setdefault(number, []).append((node, 3 * n))
                    continue
                while number in makers and TABLE[makers[number].op].kind == "view":
                    number = makers[number].operands[0].index
                others.add(number)
        self.themselves = {number: places[number] for number in saved}
        if not saved:
            return {}
        before, later = (
            {(e.op, frozenset(getattr(o, "index", -1) for o in e.operands)) for e in equations}
            for equations in (self._recorder.equations[:count], self._recorder.equations[count:])
        )
        others |= {number for _, operands in before & later for number in operands}
        return {number: saved[number] for number in saved if number in others}

    def _set_apart(self, number: int, saved: Sequence[tuple[Node, int]]) -> None:
        """Give what operations have saved of a cell a value of its own, which others do not read."""
        recorder, at = self._recorder, self.themselves.pop(number)
        own = recorder.new(recorder.shapes[number], recorder.dtypes[number])
        if number in self._cells.strides:
            recorder.layouts.given(own.index, self._cells.before[at].value)
        self.themselves[own.index] = at
        for node, n in saved:
            node._saved = (*node._saved[:n], own, *node._saved[n + 1 :])

    def _reached(self) -> list[set[int]]:
        """Return which of the wanted tensors get a covector from each root alone."""
        roots = self._roots
        everything = set(range(len(self._wanted)))
        if len(roots) <= 1 or len(roots) > MANY:
            return [everything] * len(roots)
        before = len(self._recorder.equations)
        found = []
        for root, covector in zip(roots, self.covectors, strict=True):
            pulled = self._pull_back([root], [covector])
            found.append({n for n in everything if pulled[n] is not None})
        del self._recorder.equations[before:]
        return found

    def apart(self, out: Captured) -> Apart | None:
        """Return the pullbacks of the roots one by one; None where that is what all are."""
        nodes = [edge_target(edge_of(t))[0] for t in self._roots]
        overlaps = self.overlaps()
        if len(nodes) == 1 and overlaps is None:
            return None
        # Results of one operation have one node in eager, too.
        known = len(set(map(id, nodes))) == len(nodes)
        totals = [self._recorder.operand(t)[0].index if known else -1 for t in self.totals]
        order = sorted(range(len(nodes)), key=lambda n: nodes[n]._seq)
        pulled = [place for _, place in out.pulled]
        assert out.pullback is not None
        beside, bare = self._beside(nodes), {n for n, node in enumerate(nodes) if not _frees(node)}
        return Apart(out.pullback, totals, pulled, self.arrives(out), order, overlaps, beside, bare)

    def _beside(self, nodes: Sequence[Node]) -> list[set[int]]:
        """Return what `overlaps` does of what lies before other roots."""
        if len(nodes) > MANY:
            return [{n} for n in range(len(nodes))]
        freed = [_freed(root, set(map(id, nodes))) for root in self._roots]
        return [{j for j, b in enumerate(freed) if not a.isdisjoint(b)} for a in freed]

    def overlaps(self) -> list[set[int]] | None:
        """Return, for each root, those whose backward frees what its own reads; None where all share."""
        if len(self._roots) > MANY:
            return None
        freed = [_freed(root) for root in self._roots]
        found = [{j for j, b in enumerate(freed) if not a.isdisjoint(b)} for a in freed]
        return None if all(len(others) == len(found) for others in found) else found

    def arrives(self, out: Captured) -> list[set[int]]:
        """Return the places, among what is pulled back, of what each root's own covector arrives at."""
        return [
            {place for n, (_, place) in enumerate(out.pulled) if place is not None and n in reached}
            for reached in self.reached
        ]

    def _refused(self, error: Exception) -> dict[int, Exception]:
        """Return which roots cannot be pulled back, and why."""
        if len(self._roots) == 1:
            return {0: self._lasting(error)}
        found: dict[int, Exception] = {}
        for n, root in enumerate(self._roots):
            try:
                self._pull_back([root], [self.covectors[n]])
            except RuntimeError as own:
                found[n] = self._lasting(own)
        return found

    def _lasting(self, error: Exception) -> Exception:
        """Return the error of a pullback as every call will give it."""
        if self._recorder.refused is not None:
            raise Unsupported(f"results cannot be pulled back: {error}")
        return error.with_traceback(None)

    def _led_to(self, root: object) -> list[int]:
        """Return which of the wanted tensors the history of a root leads to."""
        places = {id(self._cells.tensors[at]): n for n, at in enumerate(self._wanted)}
        found: set[int] = set()
        for node in _nodes([root]):
            if type(node) is AccumulateGrad and (n := places.get(id(node.variable))) is not None:
                found.add(n)
                if len(found) == len(places):
                    break
        return sorted(found)

    def _part(self, out: Captured, refused: dict[int, Exception]) -> None:
        """Set the roots that cannot be pulled back apart from the others."""
        roots, covectors = self._roots, self.covectors
        left = [n for n in range(len(roots)) if n not in refused]
        place = {n: k for k, n in enumerate(left)}
        for k, made in enumerate(out.made):
            n = made.differentiable
            if n is None:
                continue
            if n in refused:
                out.refused.append((kind_of(self._cells, made), refused[n], self._led_to(roots[n])))
            out.made[k] = made._replace(
                differentiable=place.get(n), refused=len(out.refused) - 1 if n in refused else None
            )
        roots[:] = [roots[n] for n in left]
        covectors[:] = [covectors[n] for n in left]


def kind_of(cells: Cells, made: Made) -> Kind:
    """Return the shape and dtype of a new tensor."""
    return cells.recorder.shapes[made.number], cells.recorder.dtypes[made.number]


def _frees(node: Node) -> bool:
    return node._frees and has_saved(node)


def _freed(root: object, ends: Collection[int] = ()) -> set[int]:
    """Return the nodes that the backward of a root frees, as far as `ends`, by their identities."""
    return {id(n) for n in _nodes([root], ends) if _frees(n)}


def _nodes(
    roots: Sequence[Any], ends: Collection[int] = (), through_freed: bool = True
) -> Iterator[Node]:
    """Yield the nodes that covectors of results come to, on this side of `ends`; not `through_freed`: nor
    past nodes whose saved values are freed, which refuse them.
    """
    waiting: list[Any] = [edge_target(edge_of(t))[0] for t in roots]
    seen = set(ends).difference(map(id, waiting))
    while waiting:
        node = waiting.pop()
        if type(node) is Output:
            node = node.node
        if node is not None and id(node) not in seen:
            seen.add(id(node))
            yield node
            if through_freed or not is_freed(node._saved):
                waiting += node._edges


def _by_age(roots: Sequence[Any]) -> Iterator[Node]:
    """Yield the nodes that covectors of results come to, in the order in which eager does."""
    nodes = {edge_target(edge_of(t))[0] for t in roots}
    seen, waiting = set(nodes), [(-node._seq, node) for node in nodes]
    heapify(waiting)
    while waiting:
        node: Any = heappop(waiting)[1]
        yield node
        for edge in node._edges:
            if type(edge) is Output:
                edge = edge.node
            if edge is not None and edge not in seen:
                seen.add(edge)
                heappush(waiting, (-edge._seq, edge))
