"""State that an optimizer makes in its first step, made before that step is traced.

A trace sees tensors that exist, so that the program of the first call is that of all others. What is made
here is what the optimizer's own `init_alike` gives; it stays only if the call ends well and has used it. A
function that looks at the state itself would see in eager code that there is none yet, so its accesses are
noted.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..autograd.grad_mode import no_grad
from ..core.value import TensorBase
from .capture import Captured
from .reach import Reach, is_ours

Entries = dict[Any, dict[str, Any]]


class FirstState:
    """The state that was made for the trace of one call.

    Attributes
    ----------
    made : list of (optimizer, entries)
        Its entries, by parameter.
    seen : bool
        Whether the function has looked at the state of one of these optimizers.
    """

    def __init__(self) -> None:
        self.made: list[tuple[Any, Entries]] = []
        self.seen = False

    def make(self, reach: Reach) -> bool:
        """Make the state of the optimizers that have none yet; whether there were any."""
        for optimizer in reach.optimizers:
            # Who holds the dict by another name may look at it unnoticed.
            if id(optimizer.state) not in reach.met_again:
                entries = _entries(optimizer)
                if entries:
                    self.made.append((optimizer, entries))
                    optimizer.state.update(entries)
        return bool(self.made)

    def take_back(self) -> None:
        """Leave the optimizers without it."""
        for optimizer, entries in self.made:
            for parameter in entries:
                optimizer.state.pop(parameter, None)
        self.made = []

    def keep_used(self, captured: Captured) -> bool:
        """Take back the entries that no step has changed, and what else the trace left; whether there were
        any.
        """
        changed = {id(captured.cells[at].where) for at, _ in captured.writes}
        kept = []
        for optimizer, entries in self.made:
            used = {
                parameter: entry for parameter, entry in entries.items()
                if any(id(value) in changed for value in entry.values())
            }  # fmt: skip
            kept.append((optimizer, used))
        if all(len(a) == len(b) for (_, a), (_, b) in zip(kept, self.made, strict=True)):
            return False
        captured.undo()
        self.take_back()
        self.made = kept
        for optimizer, used in kept:
            optimizer.state.update(used)
        return True

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note who looks at the state, for a ``with`` block."""
        held = [(optimizer, optimizer.state) for optimizer, _ in self.made]
        try:
            for optimizer, state in held:
                optimizer.__dict__["state"] = _Watched(self, state)
            yield
        finally:
            for optimizer, state in held:
                # By dict's own method, which the watched one does not notice.
                state.update(dict.items(optimizer.__dict__["state"]))
                optimizer.__dict__["state"] = state


def _entries(optimizer: Any) -> Entries:
    """State by parameter, as a step makes it; none where that is not known, or is not tensors alone."""
    from ..optim.optimizer import Optimizer

    kind = type(optimizer)
    # A user's class may make its state of anything.
    if not isinstance(optimizer, Optimizer) or kind._step_of is not Optimizer._step_of:
        return {}
    if not is_ours(kind.init.__module__) or not is_ours(kind.update.__module__):
        return {}
    entries = {}
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if not parameter.requires_grad or dict.get(optimizer.state, parameter):
                continue
            try:
                with no_grad():
                    entry = optimizer.init_alike(parameter, group)
            except Exception:  # noqa: BLE001  # the step itself will say what is wrong
                return {}
            if not entry or not all(isinstance(value, TensorBase) for value in entry.values()):
                return {}
            entries[parameter] = entry
    return entries


class _Watched(defaultdict[Any, Any]):
    """An optimizer's state that notes who looks at it besides the step."""

    def __init__(self, first: FirstState, state: defaultdict[Any, Any]) -> None:
        super().__init__(state.default_factory, state)
        self.first = first

    def get(self, key: Any, default: Any = None) -> Any:
        """As a dict's; the loop over parameters may."""
        from ..optim.optimizer import Optimizer

        if sys._getframe(1).f_code is not Optimizer._step_of.__code__:
            self.first.seen = True
        return super().get(key, default)


def _noting(name: str) -> Callable[..., Any]:
    def method(self: _Watched, *args: Any, **kwargs: Any) -> Any:
        self.first.seen = True
        return getattr(super(_Watched, self), name)(*args, **kwargs)

    return method


for _name in (
    "__contains__", "__delitem__", "__eq__", "__getitem__", "__ior__", "__iter__", "__len__", "__ne__",
    "__or__", "__repr__", "__reversed__", "__ror__", "clear", "copy", "items", "keys", "pop", "popitem",
    "setdefault", "update", "values",
):  # fmt: skip
    setattr(_Watched, _name, _noting(_name))
