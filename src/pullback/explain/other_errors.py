"""Judge other errors that a gradient is behind: None where a gradient was meant, a result where a leaf was, a
custom function that returns too few, more than one number without a covector.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..core.blame import Place
from ..core.node import LEAF
from ..core.value import TensorBase, shape_of
from .answer import Answer
from .failure import Raised, plain
from .missing import why_none_in
from .scene import Scene, paths_in, place_in, scope_of
from .source import place_of


def covector(error: BaseException, raised: Raised) -> Answer:
    """Judge a backward on more than one number."""
    name = next(iter(raised.names_at()), "")
    value = None if raised.scene is None or not name else raised.scene.value(name)
    made = place_of(value) if isinstance(value, TensorBase) else None
    if made is not None and raised.place is not None and made.function == raised.place.function:
        made = None  # what is missing may stand at the call as well
    shape = f" of shape {tuple(shape_of(value))}" if isinstance(value, TensorBase) else ""
    return Answer.of(
        "needs a covector", made or raised.place,
        () if raised.place is None else (f"backward was called at {raised.place}",),
        output=name or "an output", shape=shape
    )


def no_gradient(error: BaseException, raised: Raised) -> Answer:
    """Judge an error of Python's about None where the line reads a `.grad`."""
    if "NoneType" not in str(error):
        return plain(error, raised)
    # A comprehension has a frame of its own before CPython 3.12.
    for scene in raised.scenes[:2]:
        for owner in _read_gradients(scene):
            x = _tensor(owner, scene)
            if x is None or x._grad is not None:
                continue
            answer = why_none_in(scene, x, owner)
            return Answer(
                answer.kind, f"`{owner}.grad` is None: {answer.cause}", answer.place or raised.place,
                (f"read at {raised.place}", *answer.evidence), answer.mend, answer.checked,
            )  # fmt: skip
    return plain(error, raised)


def _read_gradients(scene: Scene) -> Iterator[str]:
    """Yield what the line of a scene reads the `.grad` of."""
    if scene.scope is None:
        return
    for node in ast.walk(scene.scope.tree):
        if not isinstance(node, ast.Attribute) or node.attr != "grad":
            continue
        if node.lineno <= scene.line <= (node.end_lineno or node.lineno):
            yield ast.unparse(node.value)


def _tensor(path: str, scene: Scene) -> Any:
    """Return the tensor of a path: a variable, or one of what a loop or comprehension goes over."""
    value = scene.value(path)
    if isinstance(value, TensorBase):
        return value
    for node in ast.walk(scene.scope.tree) if scene.scope is not None else ():
        if isinstance(node, (ast.comprehension, ast.For)) and path in ast.unparse(node.target):
            for name in paths_in(node.iter):
                held = scene.value(name)
                members = held if isinstance(held, (list, tuple)) else ()
                for member in members:
                    if isinstance(member, TensorBase) and member._grad is None:
                        return member
    return None


def not_a_leaf(error: BaseException, raised: Raised) -> Answer:
    """Judge an optimizer that is given the result of an op."""
    for scene in raised.scenes:
        if scene.scope is None:
            continue
        for call, _ in scene.scope.calls:
            if not call.lineno <= scene.line <= (call.end_lineno or call.lineno):
                continue
            for name in dict.fromkeys(paths_in(call)):
                value = scene.value(name)
                values = value if isinstance(value, (list, tuple)) else (value,)
                for x in values:
                    if isinstance(x, TensorBase) and x._node is not None and x._node is not LEAF:
                        return Answer.of(
                            "not a leaf: has no gradient", place_of(x) or raised.place, name=name,
                            raised=raised
                        )
    return plain(error, raised)


def gradient_count(error: BaseException, raised: Raised) -> Answer:
    """Judge a custom function whose backward returns too few or too many gradients."""
    found = re.search(r"function (\w+)Backward returned .* \(expected (\d+), got (\d+)\)", str(error))
    if found is None:
        return plain(error, raised)
    name, expected, got = found.groups()
    return Answer.of("number of gradients", _returning(name, raised), name=name, got=got, expected=expected)


#: What torch says of a gradient of another shape: function, input, shape, the shape of the input.
INVALID = r"unction (\w+)Backward returned an invalid gradient at index (\d+) - got (.*) but ex.*?(\[.*)"


def gradient_shape(error: BaseException, raised: Raised) -> Answer:
    """Judge a custom function whose backward returns a gradient of another shape than its input has."""
    found = re.search(INVALID, str(error))
    if found is None:
        return plain(error, raised)
    name, index, got, expected = found.groups()
    turned = got.strip("[]").split(", ") == expected.strip("[]").split(", ")[::-1]
    mend = "transpose it: `.t()`" if turned else "sum over the axes that were broadcast, or reshape it"
    return Answer.of(
        "shape of a gradient", _returning(name, raised), name=name, got=got, index=index, expected=expected,
        mend=mend
    )


def _returning(name: str, raised: Raised) -> Place | None:
    """Return the line of a custom function's backward that returns."""
    for scene in raised.scenes:
        cls = scene.variables.get(name)
        code = getattr(getattr(cls, "backward", None), "__code__", None)
        scope = None if code is None else scope_of(code)
        returns = [] if scope is None else [s for s in scope.statements if s.targets == ("return",)]
        if returns and code is not None:
            return place_in(code.co_filename, returns[-1].line)
    return raised.place
