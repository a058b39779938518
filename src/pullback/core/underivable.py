"""Ops to which torch gives no derivative: they are recorded, and raise when a covector reaches them.

torch has two kinds. Of an op that its table of derivatives does not know at all (`floor_divide`, `heaviside`)
the node is `NotImplemented`; declare such an op with `underivable`. Of others the table says, for
one input or all, that the derivative is missing (`unique`, `igamma` by its first argument); the rule of such
an input is ``not_implemented(name)``.
"""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Sequence
from typing import Any

from .backward_task import nodes_behind, running
from .node import Node, edge_target

Rule = Callable[..., Any]


class Underivable(Node):
    """Base of the node classes that torch prints as `NotImplemented`; it leads to what requires grad."""

    __slots__ = ()

    @property
    def _seq(self) -> Any:
        """Return the number that puts the node behind the last of those that send covectors to it.

        torch gives these nodes the highest number, that of leaves, and runs them as soon as all that they
        wait for has arrived: the error comes before older nodes run.
        """
        if (task := running.get(get_ident())) is None:
            return 2**64 - 1
        return min((user._seq - 0.5 for user, _ in self._users(task.roots)), default=2**64 - 1)

    @_seq.setter
    def _seq(self, number: int) -> None:
        pass

    def sent_after(self, roots: Sequence[tuple[Any, Any]]) -> list[Node]:
        """Return what the last node that leads here sends covectors to after it: an underivable node runs at
        once, before the leaves behind it in the same node's edges.
        """
        users = self._users(roots)
        targets = min(users, key=lambda user: user[0]._seq)[1] if users else [self]
        return [node for node in targets[targets.index(self) + 1 :] if node is not None]

    def _users(self, roots: Sequence[tuple[Any, Any]]) -> list[tuple[Node, list[Node | None]]]:
        """Return the nodes that send covectors here, from such roots on, and to which nodes each sends."""
        nodes = nodes_behind(edge_target(edge)[0] for edge, _ in roots)
        users = [(node, [edge and edge_target(edge)[0] for edge in node._edges]) for node in nodes]
        return [user for user in users if self in user[1]]

    def __lt__(self, other: object) -> bool:
        return False  # several may wait at once: any may be first

    def name(self) -> str:
        """Return the name of the node."""
        return "torch::autograd::NotImplemented"

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """Return (node, output index) that each input that requires grad came from."""
        return tuple(target for target in super().next_functions if target[0] is not None)


def no_derivative(name: str) -> tuple[Rule, Rule]:
    """Return the rule and jvp of an op without a derivative: both raise torch's errors."""

    def rule(g: object) -> Any:
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    def jvp(primals: object, tangents: object, out: object, *attrs: object) -> Any:
        raise NotImplementedError(f"Trying to use forward AD with aten::{name} that does not support it.")

    return rule, jvp


def not_implemented(name: str) -> Rule:
    """Return the rule of an input whose derivative is missing."""

    def rule(g: object) -> Any:
        raise NotImplementedError(f"the derivative for '{name}' is not implemented.")

    return rule


def no_tangent(name: str) -> Rule:
    """Return the jvp of an op of which a derivative is missing."""

    def jvp(primals: object, tangents: object, out: object, *attrs: object) -> Any:
        raise NotImplementedError(
            f"Trying to use forward AD with {name} that does not support it because it has not been "
            "implemented yet.\nPlease file an issue to PyTorch at https://github.com/pytorch/pytorch/issues/"
            "new?template=feature-request.yml so that we can prioritize its implementation or submit a PR "
            "adding the implementation to derivatives.yaml"
        )

    return jvp
