"""Say of a call that had an input with history and gave none on how it lost it, and what to do about it."""

import ast

from ...core.blame import Place, place_at
from ...core.node import DIFFERENTIABLE
from ...core.value import dtype_of
from ..cuts import Cut
from ..scene import Scope, parts_of, place_in, scope_of, switches_off
from ..trace import LEAVING, Event
from ..walk import nodes_of, reachable

#: Calls that give indices beside values; the indices have no derivative.
INDICES = {"topk", "sort", "max", "min", "kthvalue", "median", "mode", "cummax", "cummin"}

#: Calls that make a tensor of numbers.
COPYING = {
    "tensor", "as_tensor", "from_numpy", "asarray", "new_tensor", "Tensor", "FloatTensor", "DoubleTensor",
}  # fmt: skip


#: The texts about calls that lose the history always, by the names of their functions.
LOSING = {
    **dict.fromkeys(("detach", "detach_"), "detached: cut"), "data": ".data: read",
    **dict.fromkeys(LEAVING, "left the library: watched"), **dict.fromkeys(COPYING, "new tensor: of values"),
    "Parameter": "new leaf: Parameter", "grad": "not recorded: grad",
    **dict.fromkeys(("to", "long", "int", "type", "short", "byte", "bool"), "integer: cast"),
    **dict.fromkeys(INDICES, "not differentiable: indices"),
}  # fmt: skip


def cut_of(event: Event) -> Cut:
    """Say how a call lost the history."""
    place = event.place
    code = "" if place is None else place.expression or place.code
    name = event.name
    if event.entry in ("sample", "sample_n") or (".sample(" in code and not event.recording):
        return Cut.of("sampled without history: drawn", place, code)
    if not event.recording:
        return _unrecorded(event, place, code)
    if event.entry == "state_dict":
        return Cut.of("state dict: weights", place, code)
    if name == "grad" and "create_graph=True" in code:
        behind = reachable(nodes_of(tensor for tensor, _ in event.inputs))
        own = any(hasattr(node, "_forward_cls") for node in behind)
        return Cut.of("own backward: not recorded" if own else "constant derivative: by others", place, code)
    if name in LOSING:
        return Cut.of(LOSING[name], place, code, name=name)
    if event.outputs and all(dtype_of(t) not in DIFFERENTIABLE for t in event.outputs):
        return Cut.of("not differentiable: chosen", place, code, name=name)
    return Cut.of("lost history: by an op", place, code)


def _unrecorded(event: Event, place: Place | None, code: str) -> Cut:
    """Say where recording was switched off."""
    inside = False
    for number, (frame_code, at) in enumerate(event.frames):
        scope, here = scope_of(frame_code), place_at(frame_code, at)
        if not scope or here is None:
            continue
        if _is_forward(scope.tree):
            outer = event.frames[number + 1 :]
            called = place_at(*outer[0]) if outer else None
            code = code if called is None else called.expression or called.code
            return Cut.of("argument of a function: apart", called or place, code)
        switch = _switch(scope, here.line)
        if switch:
            where = scope.place_of_line(switch)
            return Cut.of("no_grad: block", where, where.code)
        inside = inside or "checkpoint" in here.code
    if inside:
        return Cut.of("checkpoint: reentrant", place, code)
    for frame_code, _ in event.frames:
        found = _bare_switch(frame_code.co_filename)
        if found is not None:
            return Cut.of("no_grad: for good", found, found.code)
    return Cut.of("no_grad: block", place, code)


def _is_forward(tree: ast.AST) -> bool:
    """Return whether code is the forward of a custom function, which runs unrecorded always."""
    return isinstance(tree, ast.FunctionDef) and tree.name == "forward" and any(
        isinstance(d, ast.Name) and d.id == "staticmethod" for d in tree.decorator_list
    )  # fmt: skip


def _switch(scope: Scope, line: int) -> int:
    """Return the line of the block or decorator around a line that switches recording off; 0 for none."""
    tree = scope.tree
    found = 0
    if isinstance(tree, (ast.FunctionDef, ast.AsyncFunctionDef)):
        found = next((d.lineno for d in tree.decorator_list if switches_off(d)), 0)
    for node in ast.walk(tree):
        if not isinstance(node, (ast.With, ast.AsyncWith)):
            continue
        if node.lineno <= line <= (node.end_lineno or line) and any(_off(i.context_expr) for i in node.items):
            found = node.lineno
    return found


def _off(expression: ast.expr) -> bool:
    return switches_off(expression) or (
        isinstance(expression, ast.Call) and "set_grad_enabled" in ast.unparse(expression.func)
    )


def _bare_switch(file: str) -> Place | None:
    for node in parts_of(file, ast.Expr):
        if isinstance(node.value, ast.Call) and _off(node.value):
            return place_in(file, node.lineno)
    return None
