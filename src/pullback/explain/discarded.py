"""Find a call of `detach` whose result is thrown away, so that what it was called on keeps its history."""

import ast
import sys
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import Any

from ..core.blame import Place, own_file
from ..core.node import Node
from ..core.value import TensorBase
from .carried import leads
from .scene import Function, Scene, Scope, scope_of
from .trace import Event
from .walk import node_of

#: References to a tensor that only an event holds: the list of the event, and the argument of `getrefcount`.
ONLY_THE_EVENT = 2


def thrown_away(events: Iterable[Event], makers: set[Node]) -> Place | None:
    """Return the line whose `detach` of the result of a node was kept by nothing and used by nothing."""
    used: set[int] = set()
    for event in reversed(list(events)):
        if event.name == "detach" and event.inputs and event.outputs:
            alone = sys.getrefcount(event.outputs[0]) == ONLY_THE_EVENT and id(event.outputs[0]) not in used
            if alone and node_of(event.inputs[0][0]) in makers:
                return event.place
        used.update(id(tensor) for tensor, _ in event.inputs)
    return None


def written_alone(scenes: Iterable[Scene], makers: set[Node], known: bool) -> Place | None:
    """Return the first statement of the running program that calls `detach` and does nothing with it.

    What it is called on is looked up, in the running function or as an attribute of the method's object: a
    tensor that was computed from the results of some nodes. Unless it must be `known`, it may also be a name
    that a function which has returned binds itself; an argument may be an object with a `detach` of its own.
    """
    seen: set[tuple[str, int]] = set()
    for scene in scenes:
        for scope, owner in _scopes_around(scene):
            for line, receiver in _alone(scope):
                if (scope.file, line) in seen:
                    continue
                seen.add((scope.file, line))
                name, _, attribute = receiver.partition(".")
                if owner is scene:
                    fits = _led_to(scene.value(receiver), makers)
                elif attribute:
                    held = getattr(owner, "__dict__", {}).get(attribute)
                    fits = name == "self" and _led_to(held, makers)
                else:
                    fits = not known and any(receiver in s.targets for s in scope.statements)
                if fits:
                    return scope.place_of_line(line)
    return None


def _led_to(value: Any, makers: set[Node]) -> bool:
    return isinstance(value, TensorBase) and any(leads(value, maker) for maker in makers)


def _alone(scope: Scope) -> Iterator[tuple[int, str]]:
    """Return (line, receiver) of the statements of a scope that only call `detach`."""
    found = [(node, node.value.func) for node in ast.walk(scope.tree)
             if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
             and isinstance(node.value.func, ast.Attribute) and node.value.func.attr == "detach"]  # fmt: skip
    inner = {id(n) for f in ast.walk(scope.tree) if isinstance(f, Function) and f is not scope.tree
             for n in ast.walk(f)} if found else ()  # fmt: skip
    for node, function in found:
        if id(node) not in inner:
            yield node.lineno, ast.unparse(function.value)


def _scopes_around(scene: Scene) -> Iterator[tuple[Scope, Any]]:
    """Return the scope of a frame with the frame, then the functions that it knows and the methods of its
    objects, with the object. Of those that do not name `detach` nothing is read: under pytest 1,700 took
    0.5 s of a message.
    """
    if scene.scope:
        yield scene.scope, scene
    for value in list(scene.variables.values()):
        members = (value,) if isinstance(value, FunctionType) else vars(type(value)).values()
        for member in members:
            code = member.__code__ if isinstance(member, FunctionType) else None
            if code is not None and "detach" in code.co_names and not own_file[code.co_filename]:
                yield scope_of(code), value
