"""Hooks around modules that a function registers and removes: what their handles do to the modules' dicts."""

from typing import Any

from ....core.hooks import HookDict, RemovableHandle
from ..operations import containers
from ..state.session import Session
from .rules import rule


@rule(RemovableHandle.__init__)
def _make(session: Session, f: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    # It refers to the very dicts: nothing in them is looked at.
    f(*args, **kwargs)


@rule(RemovableHandle.remove, RemovableHandle.__exit__)
def _remove(session: Session, f: object, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    handle = args[0]
    for reference in (handle.hooks_dict_ref, *handle.extra_dict_ref):
        hooks = reference()
        if type(hooks) is HookDict:  # of a node, which is the trace's own
            hooks.pop(handle.id, None)
        elif hooks is not None:
            containers.take_out(session, hooks, handle.id)
