"""Find what was carried over: which variable leads from a new graph back into one that was used up before.

A graph is used up when a backward has freed it, or when an optimizer has written over the weights that it
saved. A new graph that runs into it does so at a boundary: an op made after that moment which takes the
result of one made before it. The variable that held this result over the moment is what has to be mended.
"""

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from ..core.backward_task import needed_nodes
from ..core.blame import Place
from ..core.node import AccumulateGrad, Node, edge_target
from ..core.value import TensorBase
from ..nn.modules.module import Module
from .scene import Function, Scene, Statement, code_of, paths_in, scope_of, tensors_in
from .source import place_of
from .walk import node_of, nodes_of

#: Where a module keeps its members; what is in them is looked at by itself.
_STORES = {"_parameters", "_buffers", "_modules"}

#: Attributes of an object that are looked at for tensors.
MOST_ATTRIBUTES = 256


@dataclass(frozen=True)
class Boundary:
    """Hold where a new graph runs into an old one: `user`, an op of the new, takes the result of `maker`."""

    user: Node
    maker: Node


@dataclass(frozen=True)
class Carried:
    """Hold what led into the old graph.

    Attributes
    ----------
    name : str
        As the program calls it.
    place : Place or None
        The statement that gives it its value.
    how : {"sum", "list", "attribute", "loop", "before", "once", "shared"}
        A running sum; a list that is never emptied; an attribute or a variable that a turn of a loop leaves
        to the next one; a value from before the loop; an attribute that the constructor alone gives a value;
        one that two calls share.
    """

    name: str
    place: Place | None
    how: str


def boundaries(roots: Iterable[Node], moment: int, through: Node) -> list[Boundary]:
    """Return where the graph below some roots runs into nodes older than a moment that lead to a node."""
    starts = list(dict.fromkeys(roots))
    leading = needed_nodes(starts, {through: None})
    found: list[Boundary] = []
    seen = {node for node in starts if node in leading}
    waiting = [node for node in seen if node._seq > moment]
    while waiting:
        node = waiting.pop()
        for edge in node._edges:
            if edge is None:
                continue
            target = edge_target(edge)[0]
            if target not in leading or type(target) is AccumulateGrad:
                continue
            if target._seq < moment:
                found.append(Boundary(node, target))
            elif target not in seen:
                seen.add(target)
                waiting.append(target)
    return sorted(found, key=lambda b: -b.maker._seq)


def carried(found: list[Boundary], scenes: list[Scene]) -> Carried | None:
    """Return the variable behind boundaries: one that holds the old result, or one that a loop carries on."""
    for boundary in found:
        for scene in scenes:
            held = _holder(boundary.maker, scene)
            if held is not None:
                return _of_holder(*held, boundary, scene)
    for boundary in found:
        for scene in scenes:
            for statement in loop_carried(scene):
                name = statement.targets[0]
                if leads(scene.value(name), boundary.maker):
                    return Carried(name, statement.place, "sum" if _is_sum(statement, name) else "loop")
    for boundary in found:
        for scene in scenes:
            for name, value in list(scene.variables.items()):
                path = _attribute(value, partial(leads, node=boundary.maker))
                if path is not None:
                    made = assigning_attribute(path[1], path[0].rpartition(".")[2])
                    if made is not None:
                        member = vars(path[1]).get(path[0].rpartition(".")[2])
                        several = isinstance(member, (list, dict, deque))
                        return Carried(f"{name}.{path[0]}", made.place, "list" if several else "attribute")
    return None


def _is_sum(statement: Statement, name: str) -> bool:
    value = statement.value
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and name in (
        ast.unparse(value.left), ast.unparse(value.right)
    )  # fmt: skip


def leads(value: Any, node: Node) -> bool:
    """Return whether tensors in a value were computed from a node's result."""
    roots = nodes_of(tensors_in(value))
    return bool(roots) and bool(needed_nodes(roots, {node: None}))


def _holder(maker: Node, scene: Scene) -> tuple[str, Statement | None] | None:
    """Return (name, statement) of a variable or attribute that holds a node's result."""
    for name, value in list(scene.frame.f_locals.items()):
        if name.startswith("__"):
            continue
        if _is_result(value, maker):
            return name, _last_assignment(scene, name)
        if type(value) in (list, tuple, dict) or type(value).__name__ == "deque":
            members = value.values() if isinstance(value, dict) else value
            if any(_is_result(member, maker) or _holds(member, maker) for member in list(members)[:1000]):
                return name, _last_assignment(scene, name)
    for name, value in list(scene.variables.items()):
        path = _attribute(value, lambda member: _is_result(member, maker) or _holds(member, maker))
        if path is not None:
            attribute = path[0].rpartition(".")[2].partition("[")[0]
            return f"{name}.{path[0]}", assigning_attribute(path[1], attribute)
    return None


def _is_result(value: Any, maker: Node) -> bool:
    return isinstance(value, TensorBase) and node_of(value) is maker


def _holds(value: Any, maker: Node) -> bool:
    held = value.values() if type(value) is dict else value if type(value) in (list, tuple, deque) else ()
    return any(_is_result(v, maker) for v in list(held)[:64])


def _attribute(value: Any, fits: Callable[[Any], bool]) -> tuple[str, Any] | None:
    """Return the path of an attribute of an object whose value fits, and the object."""
    inside = getattr(value, "__dict__", None)
    if type(inside) is not dict or isinstance(value, type) or len(inside) > MOST_ATTRIBUTES:
        return None
    if type(value).__module__.startswith(("builtins", "types", "importlib")):
        return None
    members: Iterator[tuple[str, Any]] = iter([("", value)])
    if isinstance(value, Module):
        members = iter(list(value.named_modules()))
    for path, owner in members:
        held = {**vars(owner), **(owner._buffers if isinstance(owner, Module) else {})}
        for name, member in held.items():
            if name not in _STORES and not isinstance(member, Module) and fits(member):
                return (f"{path}.{name}" if path else name), owner
    return None


def assigning_attribute(owner: Any, name: str) -> Statement | None:
    """Return the statement of an object's own methods that gives an attribute its value."""
    found = None
    for method in vars(type(owner)).values():
        code = code_of(method)
        if code is not None and code.co_name != "__init__" and code.co_varnames:
            made = scope_of(code).assigning(f"{code.co_varnames[0]}.{name}")
            found = made[-1] if made else found
    return found


def _last_assignment(scene: Scene, name: str) -> Statement | None:
    made = [
        s for s in scene.scope.assigning(name)
        if not isinstance(s.node, ast.Expr) and (s.line <= scene.line or s.loops)
    ]  # fmt: skip
    return made[-1] if made else None


def _of_holder(name: str, statement: Statement | None, boundary: Boundary, scene: Scene) -> Carried:
    place = None if statement is None else statement.place
    if "." in name:
        path = name.split(".")
        held: Any = scene.variables.get(path[0])
        for part in path[1:]:
            held = getattr(held, "__dict__", {}).get(part)
        made = place_of(boundary.maker)
        how = "list" if isinstance(held, (list, dict, deque)) else "attribute"
        if how == "attribute" and place is None and made is not None and made.function == "__init__":
            how = "once"
        return Carried(name, place or made, how)
    value = scene.variables.get(name)
    if not isinstance(value, TensorBase) and not isinstance(value, tuple):
        return Carried(name, place, "list")
    if statement is not None and _is_sum(statement, name):
        return Carried(name, place, "sum")
    loop = loop_around(scene)
    if statement is not None and loop is not None and not loop.lineno <= statement.line <= _end(loop):
        return Carried(name, place, "before")
    if statement is not None and loop is not None and any(s.targets[0] == name for s in loop_carried(scene)):
        return Carried(name, place, "loop")
    return Carried(name, place or place_of(boundary.maker), "shared")


def loop_around(scene: Scene) -> ast.stmt | None:
    """Return the innermost loop around the line of a scene, in its own function."""
    return next(iter(loops_around(scene)), None)


@lru_cache(maxsize=64)
def _loops_of(tree: ast.AST) -> list[ast.For | ast.While]:
    """Return the loops of a scope itself, not of functions within it."""
    nodes = list(ast.walk(tree))
    inner = [(node.lineno, _end(node)) for node in nodes if isinstance(node, Function) and node is not tree]
    return [
        node
        for node in nodes
        if isinstance(node, (ast.For, ast.While))
        and not any(first <= node.lineno <= last for first, last in inner)
    ]


def _end(node: ast.AST) -> int:
    return int(getattr(node, "end_lineno", 0) or getattr(node, "lineno", 0))


def loops_around(scene: Scene) -> list[ast.For | ast.While]:
    """Return all loops around the line of a scene, the innermost first."""
    found = [loop for loop in _loops_of(scene.scope.tree) if loop.lineno <= scene.line <= _end(loop)]
    return sorted(found, key=lambda loop: -loop.lineno)


def loop_carried(scene: Scene) -> list[Statement]:
    """Return the statements of the loops around a line whose value of a name the next turn reads first."""
    found, scope = [], scene.scope
    for loop in loops_around(scene):
        inside = [s for s in scope.statements if loop.lineno < s.line <= _end(loop)]
        for statement in inside:
            for target in statement.targets:
                first = next((s for s in inside if target in paths_in(s.value) or target in s.targets), None)
                reads = first is not None and target in paths_in(first.value)
                outside = any(s.line < loop.lineno for s in scope.assigning(target))
                if reads and (outside or first is statement):
                    found.append(replace(statement, targets=(target,)))
        if found:
            break
    return found
