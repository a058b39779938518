"""Check custom functions by numbers, and find values that were changed behind the graph's back."""

import ast
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy import ndarray

from ...core.blame import Place, place_at
from ...core.node import AccumulateGrad, MultiNode, Node
from ...core.value import TensorBase, innermost, wrap
from ..answer import Answer
from ..scene import code_of, place_in, returning, scope_of
from ..walk import Path, node_of, undisturbed
from .collected import Findings

#: Elements of the largest input whose custom function is checked.
MOST_CHECKED = 100_000

#: Relative step of the differences, in float64.
STEP = 1e-5


class Functions:
    """Remember the calls of custom functions, for one turn."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []
        self.checked: set[Any] = set()
        self.writes: list[tuple[int, ndarray, Place | None]] = []

    def called(self, cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        """Note a call of ``cls.apply``."""
        if cls not in self.checked and len(self.calls) < 64:
            self.calls.append((cls, args, kwargs, out))

    def look(self, path: Path, findings: Findings) -> None:
        """Check the custom functions on the path of a call of backward."""
        calls, self.calls = self.calls, []
        for cls, args, kwargs, out in calls:
            if cls in self.checked:
                continue
            self.checked.add(cls)
            first = out[0] if isinstance(out, tuple) else out
            node = node_of(first) if isinstance(first, TensorBase) else None
            if isinstance(node, Node) and type(node) is not AccumulateGrad and not kwargs:
                with undisturbed(path):
                    answer = _checked(cls, args, first, node)
                if answer is not None:
                    findings.add("", answer)

    def wrote(self, number: int, array: ndarray, place: Place | None) -> None:
        """Note a write through `.data`."""
        self.writes.append((number, array, place))
        del self.writes[:-256]

    def stale(self, nodes: Iterable[Node], findings: Findings) -> None:
        """Say where a value that a node saved was written over through `.data`."""
        if not self.writes:
            return
        last = self.writes[-1][0]
        for node in nodes:
            saved = node._saved
            if node._op is None or not isinstance(saved, tuple) or node._seq > last:
                continue
            for position in range(node._op.layout.count):
                value = saved[3 * position]
                if not isinstance(value, ndarray):
                    continue
                for number, array, place in self.writes:
                    if number > node._seq and np.may_share_memory(value, array):
                        findings.tell("written through .data", place, place=place_at(node._code, node._at))
                        return
        self.writes = []


def look_at_hook(hook: Any, findings: Findings) -> None:
    """Say where a hook gives its argument's name a new gradient, and neither returns nor reads it then."""
    code = code_of(hook)
    scope = None if code is None else scope_of(code)
    if code is None or not scope or returning(code) is not None:
        return
    reads = [node for node in ast.walk(scope.tree) if isinstance(node, ast.Name)]
    for made in scope.statements:
        name, end = made.targets[0], made.node.end_lineno or made.line
        given = isinstance(made.node, ast.Assign) and name in code.co_varnames[: code.co_argcount]
        if given and not any(node.id == name and node.lineno > end for node in reads):
            findings.tell("hook returns nothing", scope.place_of_line(made.line), name=name)


def _checked(cls: Any, args: tuple[Any, ...], out: Any, node: Any) -> Answer | None:
    """Compare a custom function's backward with differences of its forward."""
    value = innermost(out)
    inputs = [k for k, a in enumerate(args) if isinstance(a, TensorBase) and a._node is not None]
    if not isinstance(value, ndarray) or value.dtype.kind != "f" or not inputs:
        return None
    if any(np.asarray(innermost(args[k])).size > MOST_CHECKED for k in inputs):
        return None
    code = cls.backward.__code__ if hasattr(cls.backward, "__code__") else None
    place = None if code is None else _definition(code)
    draw = np.random.default_rng(720)
    g = np.asarray(draw.standard_normal(value.shape)).astype(value.dtype)
    try:
        once = [_array(v) for v in _pulled(node, g)]
        twice = [_array(v) for v in _pulled(node, 2 * g)]
    except Exception:  # noqa: BLE001  # the program's own code, run on other numbers: no finding then
        return None
    pairs = [(a, b) for a, b in zip(once, twice) if a is not None and b is not None]
    if any(np.any(a) and np.array_equal(a, b) for a, b in pairs):
        return Answer.of("grad_output ignored", place, name=cls.__name__)
    return _against_differences(cls, args, inputs, g, once, place)


def _pulled(node: Any, g: ndarray) -> Any:
    kept = dict(vars(node)) if hasattr(node, "__dict__") else {}
    try:
        result = node.backward([g] if isinstance(node, MultiNode) else g)
    finally:
        if kept:
            vars(node).clear()
            vars(node).update(kept)
    return result


def _array(value: Any) -> ndarray | None:
    return None if value is None else np.asarray(innermost(value)).copy()


def _against_differences(
    cls: Any, args: tuple[Any, ...], inputs: list[int], g: ndarray, found: list[ndarray | None],
    place: Place | None,
) -> Answer | None:  # fmt: skip
    wide = [
        wrap(np.asarray(innermost(a)).astype(np.float64))
        if isinstance(a, TensorBase) and np.asarray(innermost(a)).dtype.kind == "f" else a
        for a in args
    ]  # fmt: skip

    def run(k: int, shifted: ndarray) -> ndarray:
        given = list(wide)
        given[k] = wrap(shifted)
        result = cls.apply(*given)
        result = result[0] if isinstance(result, tuple) else result
        value: ndarray = innermost(result)
        return value.astype(np.float64)

    draw = np.random.default_rng(721)
    for k in inputs:
        if k >= len(found):
            continue
        x = np.asarray(innermost(wide[k]))
        try:
            here, again = run(k, x), run(k, x)
            direction = draw.standard_normal(x.shape)
            h = STEP * max(1.0, float(np.abs(x).max(initial=0)))
            ahead, behind = run(k, x + h * direction), run(k, x - h * direction)
        except Exception:  # noqa: BLE001  # the program's own code, run on other numbers: no finding then
            return None
        if not np.array_equal(here, again):
            return None
        if here.shape == x.shape and np.allclose(here, x):
            return None  # the identity: its backward is another one on purpose
        slope = float(((ahead - behind) / (2 * h) * g).sum())
        other = float(((ahead - here) / h * g).sum())
        given = found[k]
        claimed = 0.0 if given is None else float((np.asarray(given, dtype=np.float64) * direction).sum())
        scale = max(abs(slope), abs(claimed), 1e-12)
        if abs(slope) < 1e-9 or abs(slope - other) > 0.01 * scale:
            return None  # flat, so a stand-in is meant; or at a kink
        if given is None:
            return Answer.of("backward returns None", place, name=cls.__name__, k=k, slope=slope)
        if abs(slope - claimed) > 0.05 * scale:
            return Answer.of("wrong backward", place, name=cls.__name__, claimed=claimed, slope=slope)
    return None


def _definition(code: Any) -> Place:
    """Return the line of a backward that returns, or else the one that defines it."""
    return returning(code) or place_in(code.co_filename, code.co_firstlineno)
