"""The node class of each op: its pullback, inlined for the op's arity.

A node's `backward` calls the op's rules on what the node saved: on bare arrays for a plain `backward`, on
Tensors for a graph of the pullback (`backward_graph`), on values that run large arrays in parallel
(`backward_bulk`).

On 0-d arrays NumPy's operators give scalars, and arithmetic on scalars costs a fifth of what it costs on 0-d
arrays (0.05 µs and 0.28), but a mixture more than either (0.4). So the nodes of ufuncs take a scalar for a
covector and read what they saved as scalars then: tanh goes backward in 0.6 µs instead of 1.2.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy import float32, float64, ndarray

from ..array import large
from ..array.deferred_import import import_later
from . import backend
from .blame import is_freed
from .bulk import bulk_saved
from .connected import connecting
from .node import MultiNode, Node, dtype_at
from .recorded_pullback import materialized, pullback_of_tensors, recorded_pullback
from .saved import check_versions, plain_saved, saved_errors
from .underivable import Underivable
from .value import dtype_of

if TYPE_CHECKING:
    from .op import Op

    Pull = Callable[..., tuple[Any, ...]]

errors = import_later(".graph_errors", __package__)


def make_node_class(op: Op) -> type[Node]:
    """Make the op's node class, its pullback inlined for the op's arity (see also `general_class`)."""
    layout = op.layout
    name = op.node_name
    several = len(op.differentiable_outputs) > 1 or op.many
    base = MultiNode if several else Underivable if name == "NotImplemented" else Node
    members: dict[str, Any] = {"__slots__": (), "_op": op, "__module__": "torch.autograd.graph"}
    members["is_chained"] = op.chained
    members["_frees"] = op.once or layout.count > 0
    members["_takes_scalars"] = op.parallel and not op.attrs and not layout.metadata
    members["backward_bulk"] = _bulk_backward(op, several)
    graph = recorded_pullback(op, several)
    members["backward_graph"] = graph if op.gradient is None else connecting(op.gradient, name, graph)
    if len(op.inputs) == 3 and not (op.joint or several):
        members["backward"] = _backward_3(op)
    elif op.joint or several or len(op.inputs) > 2:
        members["backward"] = _general_backward(op, plain_saved, several)
    elif len(op.inputs) == 1:
        members["backward"] = _backward_1(op)
    else:
        members["backward"] = _backward_2(op)
    if not (op.joint or several or op.once or len(op.inputs) > 3):
        members["_plain_rules"] = tuple(zip(op.rules, layout.places, strict=True))
    if op.real:
        for pull in ("backward", "backward_graph", "backward_bulk"):
            members[pull] = _refusing_complex(members[pull])
    if op.once:
        for pull in ("backward", "backward_graph", "backward_bulk"):
            members[pull] = _refusing_freed(members[pull])
    return type(name, (base,), members)


def _refusing_freed(pull: Pull) -> Pull:
    def backward(self: Node, g: object, *needed: object) -> tuple[Any, ...]:
        if is_freed(self._saved):
            raise saved_errors.freed(self)
        return pull(self, g, *needed)

    return backward


def _refusing_complex(pull: Pull) -> Pull:
    def backward(self: Node, g: object, *needed: object) -> tuple[Any, ...]:
        grads = pull(self, g, *needed)
        if dtype_of(g).kind in "cW":
            for edge, gi in zip(self._edges, grads, strict=True):
                if gi is not None and edge is not None and dtype_at(edge).kind not in "cW":
                    raise errors.complex_for_real()
        return grads

    return backward


def packed_class(op: Op) -> type[Node]:
    """Make the class of nodes that may hold packed values; a plain node becomes one by its `__class__`."""
    fast = op.node_class
    several = issubclass(fast, MultiNode)
    backward = _general_backward(op, plain_saved, several)
    if not several:
        backward = pullback_of_tensors(op, backward)
    if op.real:
        backward = _refusing_complex(backward)
    if op.once:
        backward = _refusing_freed(backward)
    members = {
        "__slots__": (), "__module__": "torch.autograd.graph", "_takes_scalars": False, "backward": backward,
    }  # fmt: skip
    return type(op.node_name, (fast,), members)


def general_class(op: Op) -> type[Node]:
    """Make the class of nodes that may hold packed values or belong to a transform's level."""
    members = {"__slots__": ("level",), "__module__": "torch.autograd.graph"}
    return type(op.node_name, (op.packed_class,), members)


def _general_backward(op: Op, read: Callable[[Node], tuple[Any, ...]], several: bool) -> Pull:
    pickers = op.layout.pickers
    rules = op.rules
    fill = several and not op.partial

    if op.joint:
        rule, pick = rules[0], pickers[0]
        wants_needs = "needs" in op.layout.wanted[0]

        def joint(self: Node, g: Any) -> Any:
            saved = read(self)
            if fill:
                g = materialized(self, g)
            values = pick(saved)
            if wants_needs:
                return rule(g, *values, needs=tuple(e is not None for e in self._edges))  # type: ignore[misc]  # a joint op has a rule
            return rule(g, *values)  # type: ignore[misc]  # a joint op has a rule

        return joint

    def backward(self: Node, g: Any) -> tuple[Any, ...]:
        saved = read(self)
        if fill:
            g = materialized(self, g)
        return tuple([
            rule(g, *pick(saved)) if edge is not None and rule is not None else None
            for rule, pick, edge in zip(rules, pickers, self._edges, strict=True)
        ])  # fmt: skip

    return backward


def _bulk_backward(op: Op, several: bool) -> Pull:
    """Return the pullback of large arrays: one native loop for all rules where there is one."""
    general = _general_backward(op, bulk_saved, several)
    if op.joint or several:
        return general

    def backward(self: Node, g: Any) -> tuple[Any, ...]:
        size = g.value.size
        if size >= (large.CHAIN if op.chained else large.SIZE):
            needs = tuple(edge is not None for edge in self._edges)
            found: tuple[Any, ...] | None = backend.pulled(op, g.value, plain_saved(self), needs)
            if found is not None:
                return found
        return general(self, g) if size >= large.WORTH else self.backward(g.value)

    return backward


def scalar_of(value: object) -> Any:
    """Return a saved 0-d array as a NumPy scalar; anything else (a number, nothing) as it is."""
    return value[()] if type(value) is ndarray else value


def _of_saved(op: Op, k: int) -> Callable[[Any, tuple[Any, ...]], Any]:
    """Return the rule of input k by covector and saved tuple: to pick and star takes 0.1 µs more."""
    rule, places, pick = op.rules[k], op.layout.places[k], op.layout.pickers[k]
    if rule is None:
        return lambda g, saved: None
    if not places:
        return lambda g, saved: rule(g)
    i, j = places[0], places[-1]
    if len(places) == 1:
        return lambda g, saved: rule(g, saved[i])
    if len(places) == 2:
        return lambda g, saved: rule(g, saved[i], saved[j])
    return lambda g, saved: rule(g, *pick(saved))


def _backward_1(op: Op) -> Callable[..., Any]:
    rule, pull = op.rules[0], _of_saved(op, 0)
    count = op.layout.count
    assert rule is not None

    if count == 0:

        def backward(self: Node, g: object) -> tuple[Any, ...]:
            return (pull(g, self._saved),)

    elif count == 1 and op.layout.wanted[0] == [op.layout.values[0]]:

        def backward(self: Node, g: object) -> tuple[Any, ...]:
            saved = self._saved
            if saved[1][0] != saved[2]:
                saved = check_versions(self, 1)
            value = saved[0]
            kind = type(g)
            if kind is float32 or kind is float64:
                value = value[()]
            return (rule(g, value),)

    else:

        def backward(self: Node, g: object) -> tuple[Any, ...]:
            check_versions(self, count)
            return (pull(g, self._saved),)

    return backward


def _backward_3(op: Op) -> Callable[..., Any]:
    pull_x, pull_y, pull_z = (_of_saved(op, k) for k in range(3))
    count = op.layout.count

    def backward(self: Node, g: object) -> tuple[Any, ...]:
        if count:
            check_versions(self, count)
        saved = self._saved
        edge_x, edge_y, edge_z = self._edges
        return (
            pull_x(g, saved) if edge_x is not None else None,
            pull_y(g, saved) if edge_y is not None else None,
            pull_z(g, saved) if edge_z is not None else None,
        )

    return backward


def _backward_2(op: Op) -> Callable[..., Any]:
    rule_x, rule_y = op.rules
    pull_x, pull_y = _of_saved(op, 0), _of_saved(op, 1)
    count = op.layout.count

    def backward(self: Node, g: object) -> tuple[Any, ...]:
        if count:
            check_versions(self, count)
        saved = self._saved
        kind = type(g)
        if kind is float32 or kind is float64:
            saved = tuple(map(scalar_of, saved))
        edge_x, edge_y = self._edges
        return (
            pull_x(g, saved) if edge_x is not None else None,
            pull_y(g, saved) if edge_y is not None else None,
        )

    if count == 2 and op.layout.values == op.inputs and op.layout.wanted in ([["x"], ["y"]], [["y"], ["x"]]):
        i, j = (3, 0) if op.layout.wanted[0] == ["y"] else (0, 3)

        def backward_swapped(self: Node, g: object) -> tuple[Any, ...]:
            saved = self._saved
            if saved[1][0] != saved[2] or saved[4][0] != saved[5]:
                saved = check_versions(self, 2)
            edge_x, edge_y = self._edges
            for_x, for_y = saved[i], saved[j]
            kind = type(g)
            if kind is float32 or kind is float64:
                for_x, for_y = scalar_of(for_x), scalar_of(for_y)
            return (
                rule_x(g, for_x) if edge_x is not None else None,  # type: ignore[misc]  # both rules are there
                rule_y(g, for_y) if edge_y is not None else None,  # type: ignore[misc]  # both rules are there
            )

        return backward_swapped
    return backward
