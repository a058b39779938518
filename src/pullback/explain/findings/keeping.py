"""Find results that are kept with their history although backward has freed it: memory that grows."""

import ast
from collections.abc import Iterator
from typing import Any

from ...core.blame import Place, is_freed
from ...core.node import edge_target
from ...core.value import TensorBase, shape_of
from ..scene import Scene, parts_of, place_in
from ..walk import nodes_of
from .collected import Findings

#: Members of a list that are looked at, and as many turns must have been.
MEMBERS = 3

#: Nodes of a history that are looked at.
MOST_NODES = 64

#: Attributes of an object that are looked at.
MOST_ATTRIBUTES = 64


def look_at_variables(scene: Scene, findings: Findings) -> None:
    """Add what the variables around a call of backward keep."""
    for name, value in list(scene.variables.items()):
        _look_at(name, value, scene, findings)
        inside = getattr(value, "__dict__", None)
        if type(inside) is dict and len(inside) <= MOST_ATTRIBUTES and not isinstance(value, type):
            for attribute, member in list(inside.items()):
                if type(member) is list:
                    _look_at(f"{name}.{attribute}", member, scene, findings)


def _look_at(name: str, value: Any, scene: Scene, findings: Findings) -> None:
    if isinstance(value, TensorBase) and _is_used_up(value):
        _look_at_sum(name, scene, findings)
    if type(value) is not list or len(value) < MEMBERS or not all(map(_is_used_up, value[:MEMBERS])):
        return
    place = appending(name, scene)
    if place is not None:
        findings.tell("history kept: results", place, name=name, count=len(value))


def _look_at_sum(name: str, scene: Scene, findings: Findings) -> None:
    """Say where a running sum adds numbers with their history."""
    within = [s for s in scene.scope.assigning(name) if s.loops and isinstance(s.node, ast.AugAssign)]
    sums = [s for s in within if isinstance(getattr(s.node, "op", None), ast.Add)]
    if sums:
        findings.tell("history kept: sum", sums[-1].place, name=name)


def _is_used_up(value: Any) -> bool:
    """Return whether a value is one number with a history that backward has freed."""
    waiting = nodes_of([value]) if isinstance(value, TensorBase) and shape_of(value) == () else []
    for _ in range(MOST_NODES):
        if not waiting:
            return False
        node = waiting.pop()
        if isinstance(node._saved, tuple) and is_freed(node._saved):
            return True
        waiting += [edge_target(edge)[0] for edge in node._edges if edge is not None]
    return False


def appending(name: str, scene: Scene) -> Place | None:
    """Return the line that appends to a list."""
    call = next(filling(name, scene, "append"), None)
    return None if call is None else place_in(scene.frame.f_code.co_filename, call.lineno)


def filling(name: str, scene: Scene, *methods: str) -> Iterator[ast.Call]:
    """Yield the calls of some methods of a list in the file of a scene."""
    last = name.rpartition(".")[2]
    for call in parts_of(scene.frame.f_code.co_filename, ast.Call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in methods and (
            ast.unparse(call.func.value).rpartition(".")[2] == last
        ):  # fmt: skip
            yield call
