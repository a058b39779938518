"""Views: tensors that share storage with a base, and what a write to either does to the history of the other.

A view remembers its base and the view ops that lead from the base to it. A write through a view gives the
base a `put` node (see `inplace`); every other view of the base is then stale, and replays its view ops on the
base's present history when it is next asked. Staleness is one comparison: the version at which the view's
node was made against the version now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..array.deferred_import import import_later
from .marked import IN_MEMORY
from .modes import modes
from .node import unrecorded
from .versions import NoVersions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .modes import Modes
    from .op import Op
    from .value import TensorBase

    Step = tuple[Op, tuple[Any, ...], int | None]

inplace = import_later(".inplace", __package__)
view_nodes = import_later(".view_nodes", __package__)

_new = object.__new__

#: How a view came to be decides whether it may be written to (see `inplace.check_writable`).
DEFAULT_VIEW, NO_GRAD_VIEW, MULTI_VIEW, INFERENCE_VIEW, FUNCTION_VIEW = range(5)
#: The same for recorded views of views that were made unrecorded.
OF_NO_GRAD_VIEW, OF_INFERENCE_VIEW = 5, 6
#: How a view of a view came to be when it was itself recorded, by how the view above came to be.
INHERITED = (
    DEFAULT_VIEW, OF_NO_GRAD_VIEW, MULTI_VIEW, OF_INFERENCE_VIEW, FUNCTION_VIEW, OF_NO_GRAD_VIEW,
    OF_INFERENCE_VIEW
)  # fmt: skip

#: No version: in place of the one at which the node of a view is right.
DAMAGED = -1


class View:
    """The record behind a view of `base`, the tensor that owns the storage and is never itself a view.

    `chain` has the view ops from the base to here, the last one first: the chain before it, and (op, attrs,
    index); `index` picks one of several outputs, or is None. A view of a view shares the chain of that one.
    `creation` is one of the constants above. At version `at` the view's node is right; it is `DAMAGED` once
    that can no more be had, and `laid` is then the version at which its steps are right.
    """

    __slots__ = ("at", "base", "chain", "creation", "laid")

    laid: int

    def __init__(self, base: Any, steps: tuple[Step, ...], creation: int, at: int) -> None:
        self.base = base
        self.steps = steps
        self.creation = creation
        self.at = at

    @property
    def steps(self) -> tuple[Step, ...]:
        """Return the view ops from the base to here, in order."""
        found, chain = [], self.chain
        while chain is not None:
            chain, step = chain
            found.append(step)
        return tuple(reversed(found))

    @steps.setter
    def steps(self, steps: tuple[Step, ...]) -> None:
        self.chain: Any = None
        for step in steps:
            self.chain = (self.chain, step)

    @classmethod
    def of(cls, parent: Any, op: Op, attrs: tuple[Any, ...], index: int | None, mode: Modes) -> View | None:
        """Record the view that `op` took of `parent`; autograd does not know views of inference tensors."""
        if type(parent._counter) is NoVersions:
            return None
        above = parent._view
        record = _new(View)
        if mode.grad:
            record.creation = DEFAULT_VIEW if index is None else MULTI_VIEW
        else:
            record.creation = INFERENCE_VIEW if mode.inference else NO_GRAD_VIEW
        record.at = parent._counter[0]
        if above is None:
            record.base = parent
            record.chain = (None, (op, attrs, index))
            return record
        if above.creation and not record.creation:
            record.creation = INHERITED[above.creation]
        record.base = above.base
        record.chain = (above.chain, (op, attrs, index))
        return record


def replay(value: Any, steps: Iterable[Step]) -> Any:
    """Run a view's steps on any value of the base's shape."""
    for op, attrs, index in steps:
        value = op.call(value, *attrs)
        if index is not None:
            value = value[index]
    return value


def bring_up_to_date(view: TensorBase, asked: bool = False) -> None:
    """Give a stale view the history (and, above bare arrays, the value) that its base has now.

    A view of another than the default creation cannot have it: torch's error says so where ops are recorded,
    and in every mode where the history itself is `asked` for.
    """
    record = view._view
    assert record is not None
    now = view._counter[0]
    base = record.base
    if record.at == now:
        if view._node is None and base._node is not None:
            view._node = unrecorded(base, view._value)  # the base requires grad by now
        return
    right = record.laid if record.at == DAMAGED else record.at
    for version, inverse in base._rearranged:
        if right < version:
            record.steps = (*inverse, *record.steps)
    if type(view._value) not in IN_MEMORY or type(base._value) not in IN_MEMORY:
        view._value = replay(base._value, record.steps)
        view._level = base._level
    if base._node is not None:
        if record.creation:
            record.at, record.laid = DAMAGED, now
            if asked or modes().grad:
                raise inplace.forbidden_view_update(view, record, indirect=True)
            return
        before = view._node
        view._node = view_nodes.replayed_node(base, view, record)
        inplace.move_retained(view, before)
    elif not base._rearranged and type(view._value) in IN_MEMORY:
        return  # should the base require grad later, the view is stale, as in torch
    record.at = now
