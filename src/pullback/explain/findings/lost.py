"""Say of a call that had an input with history and gave none on how it lost it, and what to do about it."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass
from typing import Any

from ...core.blame import Place, place_at
from ...core.node import DIFFERENTIABLE
from ...core.value import dtype_of
from ..scene import Scope, scope_of, switches_off, tree_of
from ..trace import LEAVING, Event

#: Calls that give indices beside values; the indices have no derivative.
INDICES = {"topk", "sort", "max", "min", "kthvalue", "median", "mode", "cummax", "cummin"}

#: Calls that make a tensor of numbers.
COPYING = {
    "tensor", "as_tensor", "from_numpy", "asarray", "new_tensor", "Tensor", "FloatTensor", "DoubleTensor",
}  # fmt: skip


@dataclass(frozen=True)
class Cut:
    """Hold how a history was cut off: the kind, what the code does, the mend, the place and its code."""

    kind: str
    what: str
    mend: str
    place: Place | None
    code: str


def cut_of(event: Event) -> Cut:
    """Say how a call lost the history."""
    place = event.place
    code = "" if place is None else place.expression or place.code
    name = event.name
    if event.entry in ("sample", "sample_n") or (".sample(" in code and not event.recording):
        return Cut(
            "sampled without history", "draws without recording how the sample depends on the parameters of "
            "the "
            "distribution", "use `rsample()`, which does", place, code,
        )  # fmt: skip
    if not event.recording:
        return _unrecorded(event, place, code)
    if event.entry == "state_dict":
        return Cut(
            "state dict", "gives the values of the weights detached, without their history",
            "take the parameters themselves: `dict(model.named_parameters())`", place, code,
        )  # fmt: skip
    if name in ("detach", "detach_"):
        return Cut(
            "detached", "cuts the history off", "leave `detach()` out where gradients must pass", place, code
        )
    if name == "data":
        return Cut(".data", "takes the values without their history", "leave `.data` out", place, code)
    if name in LEAVING:
        return Cut(
            "left the library", "gives plain numbers, which have no history",
            "compute with tensors, and take numbers only of what is printed", place, code,
        )  # fmt: skip
    if name in COPYING:
        return Cut(
            "new tensor", "makes a new tensor of the values, without their history",
            "use the tensor itself, or put tensors together with `torch.stack` or `torch.cat`", place, code,
        )  # fmt: skip
    if name == "Parameter":
        return Cut(
            "new leaf", "makes a new leaf of the values: an `nn.Parameter` has no history",
            "use the result itself: `F.linear(x, w)`, or `torch.func.functional_call(layer, weights, x)`",
            place, code,
        )  # fmt: skip
    if name == "grad":
        return Cut(
            "not recorded", "differentiates without recording how",
            "pass `create_graph=True` where the gradient itself is to be differentiated", place, code,
        )  # fmt: skip
    if name in ("to", "long", "int", "type", "short", "byte", "bool"):
        return Cut(
            "integer", "makes integers, which have no derivative", "keep a floating dtype", place, code
        )
    if name in INDICES:
        return Cut(
            "not differentiable", f"({name}) gives indices, which have no derivative",
            "let the values take part, too: weigh what is chosen by its score", place, code,
        )  # fmt: skip
    if event.outputs and all(dtype_of(t) not in DIFFERENTIABLE for t in event.outputs):
        return Cut(
            "not differentiable", f"({name}) chooses, compares or counts, which has no derivative",
            "use something smooth in its place: softmax for argmax, a sigmoid for a comparison", place, code,
        )  # fmt: skip
    return Cut(
        "lost history", "gives a result without history", "use an op that has a derivative", place, code
    )


def _unrecorded(event: Event, place: Place | None, code: str) -> Cut:
    """Say where recording was switched off."""
    what = "runs where no history is recorded"
    mend = "take what must be differentiated out of the `no_grad` block, or end the mode before it"
    inside = False
    for number, (frame_code, at) in enumerate(event.frames):
        scope = scope_of(frame_code)
        line = _line_of(frame_code, at)
        if scope is None or line is None:
            continue
        if _is_forward(scope.tree):
            outer = event.frames[number + 1 :]
            called = place_at(*outer[0]) if outer else None
            return Cut(
                "argument of a function", "is a custom function, which gives gradients only to tensors that "
                "are arguments themselves, not to those in a list, tuple or dict or taken from elsewhere",
                "pass each tensor as an argument of its own (`F.apply(x, *weights)`), and return a gradient "
                "for each", called or place, code if called is None else called.expression or called.code,
            )  # fmt: skip
        switch = _switch(scope, line)
        if switch:
            where = scope.place_of_line(switch)
            return Cut("no_grad", what, mend, where, where.code)
        inside = inside or "checkpoint" in where_text(scope, line)
    if inside:
        return Cut(
            "checkpoint", "runs without recording: a checkpoint with `use_reentrant=True` records only "
            "where an "
            "input requires grad", "pass `use_reentrant=False`", place, code,
        )  # fmt: skip
    for frame_code, _ in event.frames:
        found = _bare_switch(frame_code.co_filename)
        if found is not None:
            return Cut(
                "no_grad", "switches recording off, and nothing switches it on again",
                "use it as a block, or call `torch.set_grad_enabled(True)` afterwards", found, found.code,
            )  # fmt: skip
    return Cut("no_grad", what, mend, place, code)


def _is_forward(tree: ast.AST) -> bool:
    """Return whether code is the forward of a custom function, which runs unrecorded always."""
    return isinstance(tree, ast.FunctionDef) and tree.name == "forward" and any(
        isinstance(d, ast.Name) and d.id == "staticmethod" for d in tree.decorator_list
    )  # fmt: skip


def where_text(scope: Scope, line: int) -> str:
    """Return the text of a line."""
    return scope.place_of_line(line).code


def _line_of(code: Any, at: int) -> int | None:
    place = place_at(code, at)
    return None if place is None else place.line


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
    tree = tree_of(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and _off(node.value):
            return Place(file, node.lineno, "<module>", linecache.getline(file, node.lineno).strip())
    return None
