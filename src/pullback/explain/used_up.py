"""Judge errors of a graph that is used up: freed by an earlier backward, or written over in part.

After a mend it is checked on the graph of the backward that fails whether anything used up is in its way.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from threading import get_ident
from typing import Any

from ..core.backward_task import running
from ..core.blame import Place, changes, freed_when, is_freed
from ..core.modes import modes
from ..core.node import AccumulateGrad, Node, edge_target
from ..core.value import TensorBase
from ..core.versions import is_stale
from .answer import Answer
from .carried import Boundary, Carried, boundaries, carried, leads, loop_around
from .discarded import thrown_away, written_alone
from .failure import Raised
from .findings.keeping import appending
from .scene import Scene, as_read, called_name, last_place, parts_of, paths_in, scope_at
from .trace import Trace
from .walk import node_of, nodes_of, reachable


def in_place(error: BaseException, raised: Raised) -> Answer:
    """Judge a saved value that was written over."""
    saved, changes, *rest = getattr(error, "blame", (None, ()))
    moment, edge = (*rest, None)[:2] if rest else (-1, None)
    name = _name_of_edge(edge, raised)
    evidence = [] if saved is None else [f"saved at {saved}"]
    evidence += dict.fromkeys(f"changed at {place}" for place in changes)
    what = name or "A value"
    steps = [place for place in changes if _is_step(place, edge)]
    if steps:
        return _step_between(what, raised, steps[-1], tuple(evidence), moment)
    place = changes[0] if changes else raised.place
    mend, place, written = _out_of_place(place)
    if place is not None and saved is not None and (saved.file, saved.line) == (place.file, place.line):
        before = f"write to a copy (`{written} = {written}.clone()` before the line)"  # the line reads that
        mend = mend.replace(before, f"copy what the line reads of it (`{written}[…].clone()`)")
    name = name or written
    return Answer(
        "in-place change",
        f"{f'`{name}`' if name else 'A value'}, which the derivative needs, was written over between the "
        "forward pass and backward.",
        place, tuple(evidence), mend, _checked_write(changes[0] if changes else None, raised),
    )  # fmt: skip


def _name_of_edge(edge: Any, raised: Raised) -> str | None:
    """Return the program's name of the tensor whose history is an edge."""
    if edge is None:
        return None
    names = raised.names()
    node, index = edge_target(edge)
    while type(node) is not AccumulateGrad and node._op is not None and node._op.kind == "view":
        found = names.of_result(node, index)
        if found is not None or node._edges[0] is None:
            return found
        node, index = edge_target(node._edges[0])
    if type(node) is AccumulateGrad:
        return names.of_tensor(node.variable)
    return names.of_result(node, index)


def _is_step(place: Place, edge: Any) -> bool:
    """Return whether a write is an optimizer's step, or an update of a parameter by hand."""
    if re.search(r"\.step\(", place.expression or place.code):
        return True
    node = None if edge is None else edge_target(edge)[0]
    while node is not None and type(node) is not AccumulateGrad and node._op is not None:
        if node._op.kind != "view" or node._edges[0] is None:
            return False
        node = edge_target(node._edges[0])[0]
    return type(node) is AccumulateGrad


def _step_between(name: str, raised: Raised, step: Place, evidence: tuple[str, ...], moment: int) -> Answer:
    """Return the answer where weights changed between the forward pass that used them and its backward."""
    call = re.sub(r"\s+", " ", step.expression or step.code)
    found, between = _carried_over(raised, moment)
    if found is not None and found.how in ("loop", "attribute", "list", "sum"):
        return Answer.of(
            "state carried over a step", found.place, (*evidence, *_again(raised)),
            _checked_cut(found, between, raised), found=found, call=call, name=name
        )
    loss = next(iter(raised.names_at()), "the loss")
    older = "" if found is None else f" (`{found.name}` is from before it)"
    return Answer.of(
        "optimizer step between", step, (*evidence, *_again(raised)), _checked_write(step, raised), call=call,
        name=name, loss=loss, older=older
    )


def _again(raised: Raised) -> tuple[str, ...]:
    return () if raised.place is None else (f"backward ran at {raised.place}",)


def _carried_over(raised: Raised, moment: int) -> tuple[Carried | None, list[Boundary]]:
    """Return what leads from the graph that is gone through into the part from before a moment, and where."""
    starts = roots()
    if raised.node is None or not starts or moment < 0:
        return None, []
    found = boundaries(starts, moment, raised.node)
    return carried(found, raised.scenes), found


def _checked_write(place: Place | None, raised: Raised) -> str:
    if not written_only_at(place, raised.node):
        return ""
    return "all saved values that were written over were written at this line, and at no other"


def _checked_cut(found: Carried, between: list[Boundary], raised: Raised) -> str:
    if not free_without(found.name, between, raised.scenes):
        return ""
    return f"with `{found.name}` cut off, backward meets nothing that was freed before"


def _out_of_place(place: Place | None) -> tuple[str, Place | None, str | None]:
    """Return (mend, place, name) of a write: how the line is written without it."""
    general = "use the op that makes a new tensor, write to a `clone()`, or do the write after backward"
    if place is None:
        return general, place, None
    try:
        node = ast.parse(place.code.removesuffix(":") or "pass").body[0]
    except (SyntaxError, IndexError):
        return general, place, None
    if isinstance(node, ast.AugAssign):
        target = ast.unparse(node.target)
        whole = ast.unparse(ast.BinOp(as_read(node.target), node.op, node.value))
        if isinstance(node.target, ast.Subscript):
            base = ast.unparse(node.target.value)
            return (
                (f"write to a copy (`{base} = {base}.clone()` before the line), or build it with "
                "`torch.stack`, `torch.cat` or `torch.where`"), place, base,
            )  # fmt: skip
        return f"make a new tensor: `{target} = {whole}`", place, target
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        base = ast.unparse(node.targets[0].value)
        return (
            (f"write to a copy (`{base} = {base}.clone()` before the line), or collect the parts in a list "
            "and put them together with `torch.stack`, `torch.cat` or `torch.where`"), place, base,
        )  # fmt: skip
    for call in ast.walk(node):
        if not isinstance(call, ast.Call):
            continue
        function = call.func
        if isinstance(function, ast.Attribute) and function.attr.endswith("_") and function.attr[0] != "_":
            written, instead = _in_a_row(call)
            base = ast.unparse(written)
            if function.attr in ("copy_", "zero_", "fill_"):
                return f"keep the old tensor and make a new one in place of `{function.attr}`", place, base
            if isinstance(written, ast.Subscript):
                whole = ast.unparse(written.value)
                return f"write to a copy: `{whole} = {whole}.clone()` before the line", place, whole
            if isinstance(written, ast.Call):
                return f"make a new tensor, `{instead}`, and compute with that", place, None
            return f"make a new tensor: `{base} = {instead}`", place, base
        if any(k.arg == "inplace" for k in call.keywords):
            return "leave `inplace=True` out", place, None
        if any(k.arg == "out" for k in call.keywords):
            return "leave `out=` out", place, None
    found = _inplace_modules(place.file)
    if found:
        return (
            (f"leave `inplace=True` out of the module{'s' if len(found) > 1 else ''} at line "
            f"{', '.join(map(str, found))}"), place, None,
        )  # fmt: skip
    return general, place, None


def _in_a_row(call: ast.Call) -> tuple[ast.expr, str]:
    """Return what in-place methods, called one after another, write to, and the calls that make a new one."""
    function = call.func
    if not isinstance(function, ast.Attribute) or not re.fullmatch(r"[a-z].*[^_]_", function.attr):
        return call, ast.unparse(call)
    inner = function.value
    base, made = _in_a_row(inner) if isinstance(inner, ast.Call) else (inner, ast.unparse(inner))
    given = ", ".join(ast.unparse(a) for a in (*call.args, *call.keywords))
    return base, f"{made}.{function.attr[:-1]}({given})"


def _inplace_modules(file: str) -> list[int]:
    """Return the lines of a file that make modules which write in place."""
    lines = {
        call.lineno for call in parts_of(file, ast.Call)
        if any(k.arg == "inplace" and getattr(k.value, "value", False) is True for k in call.keywords)
    }  # fmt: skip
    return sorted(lines)


#: The texts about a value that leads back into a graph that is used up, by how it was carried over.
_CARRIED = {
    "sum": "sum over turns",
    "list": "list not emptied",
    "attribute": "state carried over: attribute",
    "loop": "state carried over: loop",
    "before": "part outside the loop: carried",
    "once": "part outside the loop: in the constructor",
    "shared": "shared part",
}


def second_backward(error: BaseException, raised: Raised) -> Answer:
    """Judge a second backward through a graph that the first one freed."""
    made, first = getattr(error, "blame", (None, None))
    evidence = [] if first is None else [f"the first backward ran at {first}"]
    if made is not None:
        evidence.append(f"the part of the graph that both went through was made at {made}")
    again = raised.place
    if again is not None and ("._saved_" in again.code or ".saved_tensors" in again.code):
        return Answer.of("saved values read", again, evidence)
    if again is not None:
        evidence.append(f"the second one at {again}")
    saved = getattr(raised.node, "_saved", None)
    moment = freed_when(saved) if isinstance(saved, tuple) and is_freed(saved) else -1
    found, between = _carried_over(raised, moment)
    if found is not None and not (found.how == "shared" and found.name == next(iter(raised.names_at()), "")):
        vain = _cut_in_vain(found, between, raised, tuple(evidence))
        if vain is None and found.how == "shared":
            return _shared(found, raised, first, made, tuple(evidence))
        return vain or Answer.of(
            _CARRIED[found.how], found.place or made, evidence,
            "" if found.place is None else _checked_cut(found, between, raised),
            name=found.name, filled=_filled(found, raised),
        )
    same = first is not None and again is not None and (first.file, first.line) == (again.file, again.line)
    loss = next(iter(raised.names_at()), "the loss")
    if same and _made_before_loop(raised, loss):
        return Answer.of("part outside the loop", raised.made(loss) or made, tuple(evidence), loss=loss)
    if same:
        return Answer.of("shared graph in a loop", made, tuple(evidence))
    if again is not None and moment >= 0 and _all_freed(moment):
        return Answer.of("backward twice: on one loss", again, tuple(evidence), loss=loss)
    both = _in_both(raised, first)
    if both is not None:
        return Answer.of(_CARRIED["shared"], both.place or first, evidence, name=both.name)
    return Answer.of("second backward", first, tuple(evidence), loss=loss)


def _filled(found: Carried, raised: Raised) -> str:
    """Return where a list is filled, as a sentence."""
    at = next((at for s in raised.scenes if (at := appending(found.name, s))), None)
    return f" It is filled at line {at.line}." if found.how == "list" and at is not None else ""


def _cut_in_vain(
    found: Carried, between: list[Boundary], raised: Raised, evidence: tuple[str, ...]
) -> Answer | None:
    """Return the answer where `detach` was called on what is carried over, and its result thrown away."""
    thrown = None if found.how in ("sum", "before", "once") else _thrown_away(found, between, raised)
    if thrown is None:
        return None
    at, seen = thrown
    kept = Answer.of(_CARRIED[found.how], name=found.name, filled="")
    thrown_away = Answer.of(
        "detached in vain", at if seen else found.place, evidence, _checked_cut(found, between, raised),
        found=found, at=at, kept=kept,
        called="`detach()` is called on it here" if seen else f"Line {at.line} calls `detach()`",
    )
    return replace(thrown_away, kind=kept.kind)


def _thrown_away(found: Carried, between: list[Boundary], raised: Raised) -> tuple[Place, bool] | None:
    """Return the line of a `detach` whose result is not kept, and whether the call was seen; None without."""
    makers = {boundary.maker for boundary in between}
    for trace in modes().function_modes:
        place = thrown_away(trace.events, makers) if isinstance(trace, Trace) else None
        if place is not None:
            return place, True
    place = written_alone(raised.scenes, makers, found.how == "shared")
    return None if place is None else (place, False)


def _all_freed(moment: int) -> bool:
    """Return whether the backward of a moment went through all of the graph that another one goes through."""
    saved = [s for node in reachable(roots()) if isinstance(s := getattr(node, "_saved", None), tuple) and s]
    # What only holds sizes is not freed.
    held = [s for s in saved if is_freed(s) or not all(isinstance(v, (int, float, str, tuple)) for v in s)]
    return bool(held) and all(is_freed(s) and freed_when(s) <= moment for s in held)


def _in_both(raised: Raised, first: Place | None) -> Carried | None:
    """Return the last variable from which the first backward's loss was computed, and the failing one's."""
    scene = next((s for s in raised.scenes if first and s.scope and s.scope.name == first.function), None)
    if scene is None or first is None:
        return None
    calls = [c for c, _ in scene.scope.calls if c.lineno == first.line]
    losses = [v for c in calls for n in paths_in(c.func) if isinstance(v := scene.value(n), TensorBase)]
    shared = set(reachable(nodes_of(losses))) & set(reachable(roots()))
    found = [
        (node._seq, name) for name, value in list(scene.variables.items())
        if isinstance(value, TensorBase) and (node := node_of(value)) in shared and node is not None
    ]  # fmt: skip
    if not found:
        return None
    name = max(found)[1]
    made = [s for s in scene.scope.assigning(name, first.line) if not isinstance(s.node, ast.Expr)]
    return Carried(name, last_place(made), "shared")


def _shared(
    found: Carried, raised: Raised, first: Place | None, made: Place | None, evidence: tuple[str, ...]
) -> Answer:
    """Return the answer where two calls share a value: the first may not need it, or both belong together."""
    scope, place = scope_at(first), first
    names: list[str] = []
    if first is not None:
        calls = [c for c, _ in scope.calls if c.lineno == first.line and ast.unparse(c.func).endswith(
        ".backward")]
        names = [p for c in calls for p in paths_in(c.func)]
        before = [s for n in names for s in scope.assigning(n, first.line)]
        made_by = [s for s in before if not isinstance(s.node, ast.Expr)]
        reading = [s for s in made_by if found.name in paths_in(s.value)]
        place = last_place(reading or made_by) or first
    if first is not None and _steps_between(raised, first):
        return Answer.of("not detached", place, evidence, found=found)
    sum_of = next(iter(raised.names_at()), "")
    line = None if raised.scene is None else raised.scene.line
    if found.name in names and sum_of and _adds_up(raised, sum_of, line):
        return Answer.of(
            "sum of losses that went backward", raised.made(sum_of, line) or raised.place, evidence,
            found=found, sum_of=sum_of
        )
    return Answer.of(_CARRIED["shared"], first or found.place or made, evidence, name=found.name)


def _adds_up(raised: Raised, name: str, line: int | None) -> bool:
    """Return whether a name of the scene is given a sum, or is added to."""
    made = () if raised.scene is None else raised.scene.scope.assigning(name, line)
    return any(
        isinstance(getattr(n, "op", None), ast.Add) or getattr(getattr(n, "func", n), "id", "") == "sum"
        or called_name(n) == "stack"
        for statement in made for n in ast.walk(statement.value)
    )  # fmt: skip


def _steps_between(raised: Raised, first: Place) -> bool:
    """Return whether an optimizer steps between a first call of backward and the one that fails."""
    inside, scene = scope_at(first), raised.scene
    line = 0 if scene is None else scene.line
    same = scene is not None and bool(scene.scope) and scene.scope.name == inside.name
    # A method, no function.
    steps = [c.lineno for c, _ in inside.calls if getattr(c.func, "attr", "") == "step"]
    return any(first.line <= n and (not same or n <= line) for n in steps)


def _made_before_loop(raised: Raised, name: str) -> bool:
    """Return whether a name gets its value before the loop around the failing line and never inside it."""
    scene = raised.scene
    if scene is None:
        return False
    loop = loop_around(scene)
    made = scene.scope.assigning(name)
    return loop is not None and bool(made) and all(s.line < loop.lineno for s in made)


# --- checks of a mend ---------------------------------------------------------------------------------------


def roots() -> list[Node]:
    """Return the nodes that the backward which is running began at."""
    task = running.get(get_ident())
    return [] if task is None else [edge_target(edge)[0] for edge, _ in task.roots]


def written_only_at(place: Place | None, failing: Node | None) -> bool:
    """Return whether all saved values that were written over were so at one line, and nowhere else.

    Without that line each has the version that backward expects. Nodes before the `failing` one have run
    already.
    """
    if place is None or failing is None:
        return False
    written = 0
    for counter, version in _stale([failing, *reachable(roots())]):
        places = changes(counter, version)
        if not places or int(counter[0]) - int(version) != len(places):
            return False
        if any((p.file, p.line) != (place.file, place.line) for p in places):
            return False
        written += 1
    return written > 0


def _stale(nodes: Iterable[Node]) -> Iterator[tuple[Any, Any]]:
    for node in nodes:
        saved = node._saved
        if node._op is None or not isinstance(saved, tuple) or is_freed(saved):
            continue
        for k in range(node._op.layout.count):
            counter, version = saved[3 * k + 1], saved[3 * k + 2]
            if isinstance(counter, list) and is_stale(counter, version):
                yield counter, version


def free_without(name: str, found: Iterable[Boundary], scenes: Iterable[Scene]) -> bool:
    """Return whether the graph is whole once it is cut off at what a variable or attribute leads to."""
    makers = {boundary.maker for boundary in found}
    values = [scene.value(name) for scene in scenes]
    if not makers or not all(any(leads(value, maker) for value in values) for maker in makers):
        return False
    seen: set[Node] = set()
    waiting = roots()
    begun = max((node._seq for node in waiting), default=-1)  # what is freed later, this backward has freed
    while waiting:
        node = waiting.pop()
        if node in seen or node in makers:
            continue
        seen.add(node)
        saved = node._saved
        freed = type(node) is not AccumulateGrad and isinstance(saved, tuple) and is_freed(saved)
        if freed and freed_when(saved or ()) < begun:
            return False
        waiting += [edge_target(edge)[0] for edge in node._edges if edge is not None]
    return bool(seen)
