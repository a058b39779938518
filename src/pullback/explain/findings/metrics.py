"""Look at counts of right answers: what they are divided by."""

import ast
import sys
from typing import Any

from ...core.blame import user_frame
from ...core.value import shape_of
from ...utils.data import DataLoader
from ..scene import Scene
from ..trace import Event
from .collected import Findings
from .makers import PASSING, origin

#: Calls that count, and those that compare.
COUNTING = ("sum", "count_nonzero")
COMPARING = ("eq", "__eq__", "isclose")


class Metrics:
    """Look at each line that counts once."""

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def look_at(self, event: Event, findings: Findings) -> None:
        """Look at one call of a function, from the watch."""
        if event.frames and event.frames[0] not in self.seen and _counts(event):
            self.seen.add(event.frames[0])
            _divided(event, Scene(user_frame(sys._getframe(2))), findings)


def _counts(event: Event) -> bool:
    """Return whether a call counts in how many of several samples two tensors agree."""
    made = origin(event.inputs[0][1], PASSING | {"int", "long"}) if event.inputs else None
    compared = event.name in COUNTING and made is not None and made.name in COMPARING
    return compared and made is not None and shape_of(made.outputs[0])[:1] > (1,)


def _divided(event: Event, scene: Scene, findings: Findings) -> None:
    """Say where counts of right answers are added up over batches and divided by the number of batches."""
    scope = scene.scope
    added = [
        s for s in scope.statements
        if isinstance(s.node, ast.AugAssign) and isinstance(s.node.op, ast.Add)
        and s.node.lineno <= scene.line <= (s.node.end_lineno or s.node.lineno) and s.targets
    ]  # fmt: skip
    for name in (s.targets[0] for s in added[:1]):
        for node in ast.walk(scope.tree):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
                continue
            divided = node.left
            while isinstance(divided, ast.BinOp) and isinstance(divided.op, ast.Mult):
                divided = divided.right if isinstance(divided.left, ast.Constant) else divided.left
            if ast.unparse(divided) not in (name, f"{name}.item()", f"float({name})"):
                continue
            what = _batches(node.right, scene, added[0].loops)
            if what:
                findings.tell("divided by the batches", scope.place(node), name=name, what=what, event=event)


def _batches(divisor: ast.expr, scene: Scene, loops: int) -> str:
    """Return what a divisor is where it is the number of batches; "" otherwise."""
    text = ast.unparse(divisor)
    if isinstance(divisor, ast.Call) and ast.unparse(divisor.func) == "len" and len(divisor.args) == 1:
        loader: Any = scene.value(ast.unparse(divisor.args[0]))
        several = isinstance(loader, DataLoader) and loader.batch_size != 1
        return text if several else ""
    made = scene.scope.assigning(text)
    by_one = [
        s for s in made if isinstance(s.node, ast.AugAssign) and ast.unparse(s.node.value) == "1"
        and s.loops == loops
    ]  # fmt: skip
    others = [s for s in made if s not in by_one and ast.unparse(s.value) != "0"]
    return text if by_one and not others else ""
