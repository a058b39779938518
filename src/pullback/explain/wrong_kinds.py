"""Judge errors whose cause stands before the line that raises: a layer that gives a tuple, gradients that are
sparse, sizes that depend on the data.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..core.blame import Place
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from .answer import Answer
from .failure import Raised
from .scene import Scene, code_of, scope_of, tree_of

#: Calls whose result has a size that depends on the numbers, and what gives it a fixed one.
BY_THE_DATA = {
    "bincount": ("one count for each number up to the largest that is there (shorter where the last class is "
                 "absent from a batch)|minlength"),
    "one_hot": ("as many columns as the largest label that is there needs (fewer where the last class is "
                "absent from a batch)|num_classes"),
}  # fmt: skip


def sparse_gradients(error: BaseException, raised: Raised) -> Answer:
    """Judge an optimizer that gets sparse gradients."""
    scene = raised.scenes[0] if raised.scenes else None
    made = None
    for name, value in () if scene is None else list(scene.variables.items()):
        statements = [] if scene is None or scene.scope is None else scene.scope.assigning(name)
        if isinstance(value, Optimizer) and statements and scene is not None and scene.scope is not None:
            called = any(name in ast.unparse(c.func) for c, _ in scene.scope.calls if c.lineno == scene.line)
            made = scene.scope.place_of_line(statements[-1].line) if called else made
    return Answer.of(
        "sparse gradients", made or raised.innermost,
        () if made is None else (f"the step is at {raised.innermost}",)
    )


def tuple_taken(error: BaseException, raised: Raised) -> Answer | None:
    """Judge an error about a tuple that a layer of a `Sequential` gave to the next one; None for another."""
    if "tuple" not in str(error):
        return None
    giving = _giving_a_tuple(error)
    if giving is None:
        return None
    kind = type(giving).__name__
    return Answer.of(
        "a tuple in place of a tensor", _only_call(kind, raised) or raised.innermost, kind=kind, raised=raised
    )


def _giving_a_tuple(error: BaseException) -> Any:
    """Return the layer of a container whose tuple went into the layer that failed."""
    traceback, found = error.__traceback__, None
    while traceback is not None:
        variables = traceback.tb_frame.f_locals
        container, module = variables.get("self"), variables.get("module")
        if isinstance(container, Module) and isinstance(variables.get("input"), tuple):
            members = list(container._modules.values())
            at = next((k for k, member in enumerate(members) if member is module), 0)
            if at > 0:
                found = members[at - 1]
        traceback = traceback.tb_next
    return found


def _only_call(name: str, raised: Raised) -> Place | None:
    """Return the line of the program that calls what has a name, where there is one alone."""
    for scene in raised.scenes:
        tree = None if scene.scope is None else tree_of(scene.scope.file)
        lines = {
            node.lineno for node in (() if tree is None else ast.walk(tree))
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == name
        }  # fmt: skip
        if len(lines) == 1 and scene.scope is not None:
            return scene.scope.place_of_line(*lines)
    return None


def size_by_the_data(raised: Raised) -> Answer | None:
    """Judge sizes that do not fit where one of them depends on the data; None where none does."""
    for scene in raised.scenes[:2]:
        for call, place in _calls(scene):
            name = ast.unparse(call.func).split(".")[-1]
            why, _, argument = BY_THE_DATA.get(name, "").partition("|")
            fixed = any(k.arg == argument for k in call.keywords)
            if why and not fixed and not (name == "one_hot" and len(call.args) > 1):
                return Answer.of(
                    "size depends on the data", place, name=name, why=why, raised=raised, argument=argument
                )
    return None


def _calls(scene: Scene) -> Iterator[tuple[ast.Call, Place]]:
    """Yield the calls on the line of a scene, on lines that give its names their values, and within functions
    of the program that these call.
    """
    scope = scene.scope
    if scope is None:
        return
    here = [c for c, _ in scope.calls if c.lineno <= scene.line <= (c.end_lineno or c.lineno)]
    waiting: list[ast.AST] = list(_statements(scene))
    seen: set[str] = set()
    while waiting:
        node = waiting.pop(0)
        here += [n for n in ast.walk(node) if isinstance(n, ast.Call)]
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} - seen
        seen |= names
        waiting += [s.value for name in sorted(names) for s in scope.assigning(name, scene.line)]
    for call in here:
        yield call, scope.place(call)
        code = code_of(scene.value(ast.unparse(call.func)))
        inner = None if code is None else scope_of(code)
        for within, _ in () if inner is None else inner.calls:
            assert inner is not None
            yield within, inner.place(within)


def _statements(scene: Scene) -> list[ast.stmt]:
    """Return the statements on the line of a scene."""
    assert scene.scope is not None
    return [
        node for node in ast.walk(scene.scope.tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body")
        and node.lineno <= scene.line <= (node.end_lineno or node.lineno)
    ]  # fmt: skip
