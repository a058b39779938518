"""`why_error`: what an error of the graph means in the program that ran into it."""

from __future__ import annotations

import ast
import linecache
import re
import sys
from collections.abc import Callable
from threading import get_ident
from types import FrameType, TracebackType
from typing import Any

from ..core.backward_task import running
from ..core.blame import Place, freed_when, is_freed, own_file, place_at
from ..core.modes import modes
from ..core.node import AccumulateGrad, edge_target
from ..nn.modules.module import Module
from .answer import Answer
from .carried import Carried, boundaries, carried, loop_around
from .cuts import Search, carrier_of, has_history
from .missing import switched_off
from .names import Names
from .roots import receiver_of
from .scene import (
    Scene,
    Scope,
    freezing,
    function_at,
    paths_in,
    switches_off,
    tensors_in,
    tree_of,
)

Judge = Callable[[BaseException, "Raised"], Answer]

#: Frames of the program that are looked at.
MOST_FRAMES = 40


class Raised:
    """Hold the frames of the program that an error went through; while it is being raised, those that run.

    Attributes
    ----------
    scenes : list of Scene
        The frames, the innermost first, each at the line that it was at.
    scene : Scene or None
        The one whose line calls backward; otherwise the innermost.
    place : Place or None
        The line that it was at.
    node : Node or None
        The node that raised the error, while it is being raised.
    """

    def __init__(self, error: BaseException, node: Any = None) -> None:
        self.node = node
        self.scenes = [_scene_at(*at) for at in _frames_of(error)]
        self.scene = next((s for s in self.scenes if _names_in(s)), next(iter(self.scenes), None))
        self.place: Place | None = None
        if self.scene is not None:
            frame = self.scene.frame
            at = next(i for f, _, i in _frames_of(error) if f is frame)
            self.place = place_at(frame.f_code, at)

    def names(self) -> Names:
        """Return the program's names as seen from the innermost frame."""
        return Names(self.scenes[0].frame if self.scenes else None)


def _scene_at(frame: FrameType, line: int, instruction: int) -> Scene:
    scene = Scene(frame)
    scene.line = line
    return scene


def _frames_of(error: BaseException) -> list[tuple[FrameType, int, int]]:
    """Return (frame, line, instruction) of the program's frames, the innermost first."""
    traceback: TracebackType | None = error.__traceback__
    found = []
    outer: FrameType | None = sys._getframe(1) if traceback is None else traceback.tb_frame.f_back
    while traceback is not None:
        found.append((traceback.tb_frame, traceback.tb_lineno, traceback.tb_lasti))
        traceback = traceback.tb_next
    found.reverse()
    while outer is not None and len(found) < MOST_FRAMES:
        found.append((outer, outer.f_lineno, outer.f_lasti))
        outer = outer.f_back
    return [at for at in found if not _foreign(at[0])]


def _foreign(frame: FrameType) -> bool:
    """Return whether a frame is pullback's, or Python's own machinery that runs programs."""
    file = frame.f_code.co_filename
    return own_file[file] or file.startswith("<frozen ")


def why_error(error: BaseException) -> Answer:
    """Say what an error means in the program that ran into it, and which line to change.

    Parameters
    ----------
    error : exception
        As it was caught, with its traceback.
    """
    if not isinstance(error, BaseException):
        raise TypeError(f"why_error: expected an exception, got {type(error).__name__}")
    known = getattr(error, "answer", None)
    if isinstance(known, Answer):
        return known
    return _judged(error, Raised(error))


def _judged(error: BaseException, raised: Raised) -> Answer:
    text = str(error)
    for beginning, judge in JUDGES:
        if beginning in text:
            return judge(error, raised)
    notes = getattr(error, "__notes__", [])
    return Answer(
        "other error", f"{type(error).__name__}: {text.splitlines()[0] if text else ''}", raised.place,
        tuple(notes), "", certain=False,
    )  # fmt: skip


def note_of(error: BaseException, node: Any = None) -> str | None:
    """Return the answer to an error that is being raised, as a note for it; None where there is none.

    The answer stays with the error, for `why_error`.
    """
    try:
        answer = _judged(error, Raised(error, node))
    except Exception:  # noqa: BLE001  # the program's error must reach the program, whatever happens here
        return None
    if answer.kind in ("error", "other error"):
        return None
    error.answer = answer  # type: ignore[attr-defined]  # for `why_error`
    return str(answer)


def _in_place(error: BaseException, raised: Raised) -> Answer:
    saved, changes, *rest = getattr(error, "blame", (None, ()))
    moment, edge = (*rest, None)[:2] if rest else (-1, None)
    name = _name_of_edge(edge, raised)
    evidence = [] if saved is None else [f"saved at {saved}"]
    evidence += [f"changed at {place}" for place in changes]
    what = name or "A value"
    steps = [place for place in changes if _is_step(place, edge)]
    if steps:
        return _step_between(what, raised, steps[-1], tuple(evidence), moment)
    place = changes[0] if changes else raised.place
    mend, place, written = _out_of_place(place)
    name = name or written
    return Answer(
        "in-place change",
        f"{f'`{name}`' if name else 'A value'}, which the derivative needs, was written over between the "
        "forward pass and backward.",
        place, tuple(evidence), mend, certain=len(changes) == 1,
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
    found = _carried_over(raised, moment)
    if found is not None and found.how in ("loop", "attribute", "list", "sum"):
        return Answer(
            "state carried over a step",
            f"`{found.name}` still has the history of an earlier turn, and backward goes back into it; but "
            f"`{call}` has changed `{name}` since then.",
            found.place, (*evidence, *_again(raised)),
            f"cut it off between turns: `{found.name} = {found.name}.detach()`, and leave "
            "`retain_graph=True` out",
            certain=found.how != "list",
        )  # fmt: skip
    loss = next(iter(_names_at(raised)), "the loss")
    older = "" if found is None else f" (`{found.name}` is from before it)"
    return Answer(
        "optimizer step between",
        f"`{call}` changed `{name}` after the forward pass of `{loss}` had used it{older}, and before "
        f"`{loss}` went backward.",
        step, (*evidence, *_again(raised)),
        f"call every `backward` that uses the old weights before `{call}`, or compute `{loss}` anew, with a "
        "forward pass after the step",
        certain=True,
    )  # fmt: skip


def _again(raised: Raised) -> tuple[str, ...]:
    return () if raised.place is None else (f"backward ran at {raised.place}",)


def _carried_over(raised: Raised, moment: int) -> Carried | None:
    """Return what leads from the graph that is gone through into the part from before a moment."""
    task = running.get(get_ident())
    if raised.node is None or task is None or moment < 0:
        return None
    roots = [edge_target(edge)[0] for edge, _ in task.roots]
    return carried(boundaries(roots, moment, raised.node), raised.scenes)


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
        whole = ast.unparse(ast.BinOp(_loaded(node.target), node.op, node.value))
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
            base, plain = ast.unparse(function.value), function.attr.rstrip("_")
            arguments = ", ".join(ast.unparse(a) for a in call.args)
            if plain in ("copy", "zero", "fill"):
                return f"keep the old tensor and make a new one in place of `{function.attr}`", place, base
            return f"make a new tensor: `{base} = {base}.{plain}({arguments})`", place, base
        if any(k.arg == "inplace" for k in call.keywords):
            return "leave `inplace=True` out", place, None
        if any(k.arg == "out" for k in call.keywords):
            return "leave `out=` out", place, None
    found = _inplace_modules(place.file)
    if found:
        return (
            (f"leave `inplace=True` out of the module{'s' if len(found) > 1 else ''} at line "
            f"{', '.join(str(p.line) for p in found)}"), place, None,
        )  # fmt: skip
    return general, place, None


def _loaded(target: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(target), mode="eval").body


def _inplace_modules(file: str) -> list[Place]:
    """Return the lines of a file that make modules which write in place."""
    tree = tree_of(file)
    if tree is None:
        return []
    lines = {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and any(k.arg == "inplace" and getattr(k.value, "value", False) is True for k in node.keywords)
    }
    return [Place(file, n, "<module>", linecache.getline(file, n).strip()) for n in sorted(lines)]


#: What to do about a value that leads back into a graph that is used up, by how it was carried over.
_CARRIED: dict[str, tuple[str, str, str]] = {
    "sum": (
        "sum over turns",
        ("`{0}` adds up losses with their history, so each turn goes back through all earlier ones, which an "
        "earlier backward has freed."),
        "call `backward()` on the loss of this turn only, and add up numbers: `{0} += loss.item()`",
    ),
    "list": (
        "list not emptied",
        "`{0}` still holds results of an earlier turn, whose graph an earlier backward has freed.",
        "empty it in each turn (make `{0}` anew inside the loop), or store `detach()`ed values",
    ),
    "attribute": (
        "state carried over",
        ("`{0}` keeps a result with its history from one turn to the next, and an earlier backward has freed "
        "that history."),
        "store it without history: `{0} = {0}.detach()` (assign `….detach()` on this line)",
    ),
    "loop": (
        "state carried over",
        ("`{0}` goes from one turn of the loop to the next with its history, which an earlier backward has "
        "freed."),
        "cut it off at the beginning of each turn: `{0} = {0}.detach()` (of a tuple, each member)",
    ),
    "before": (
        "part outside the loop",
        ("`{0}` is computed once, before the loop; the first turn's backward frees its history, and the next "
        "turn needs it again."),
        "compute `{0}` inside the loop, or `detach()` it where nothing in it is to be trained",
    ),
    "shared": (
        "shared part",
        "Two calls of backward go through `{0}`, and the first one freed its history.",
        ("add the losses and call backward once; where only one of them is to train what made `{0}`, give "
        "the other one `{0}.detach()`; `retain_graph=True` on the first call keeps it for both"),
    ),
}  # fmt: skip


def _second_backward(error: BaseException, raised: Raised) -> Answer:
    made, first = getattr(error, "blame", (None, None))
    evidence = [] if first is None else [f"the first backward ran at {first}"]
    if made is not None:
        evidence.append(f"the part of the graph that both went through was made at {made}")
    again = raised.place
    if again is not None:
        evidence.append(f"the second one at {again}")
    saved = getattr(raised.node, "_saved", None)
    moment = freed_when(saved) if isinstance(saved, tuple) and is_freed(saved) else -1
    found = _carried_over(raised, moment)
    if found is not None:
        kind, cause, mend = _CARRIED[found.how]
        if found.how == "shared":
            fresh = next((n for n in _names_at(raised)), "")
            if fresh == found.name:
                found = None
        if found is not None:
            return Answer(
                kind, cause.format(found.name), found.place or made, tuple(evidence), mend.format(found.name),
                certain=found.place is not None and found.how in ("sum", "attribute", "loop", "before"),
            )  # fmt: skip
    same = first is not None and again is not None and (first.file, first.line) == (again.file, again.line)
    loss = next(iter(_names_at(raised)), "the loss")
    if same and _made_before_loop(raised, loss):
        return Answer(
            "part outside the loop",
            f"`{loss}` is computed once, before the loop, and backward is called on it in each turn; the "
            "first call frees its graph.",
            _assignment_of(raised, loss) or made, tuple(evidence),
            f"compute `{loss}` inside the loop, from a forward pass of its own in each turn",
            certain=True,
        )  # fmt: skip
    if same:
        return Answer(
            "shared graph in a loop",
            "Each turn of the loop goes back through a part of the graph that an earlier turn has freed.",
            made, tuple(evidence),
            "compute it inside the loop; for a state that is carried on, `detach()` it between turns",
        )  # fmt: skip
    return Answer(
        "second backward", f"The first backward freed what the second one, on `{loss}`, needs.", first,
        tuple(evidence),
        "add the losses and call backward once, pass `retain_graph=True` to the first call, or `detach()` "
        "what the second need not go through",
    )  # fmt: skip


def _assignment_of(raised: Raised, name: str) -> Place | None:
    scene = raised.scene
    made = [] if scene is None or scene.scope is None else scene.scope.assigning(name)
    return scene.scope.place_of_line(made[-1].line) if made and scene and scene.scope else None


def _made_before_loop(raised: Raised, name: str) -> bool:
    """Return whether a name gets its value before the loop around the failing line and never inside it."""
    scene = raised.scene
    if scene is None or scene.scope is None:
        return False
    loop = loop_around(scene)
    made = scene.scope.assigning(name)
    return loop is not None and bool(made) and all(s.line < loop.lineno for s in made)


def _no_history(error: BaseException, raised: Raised) -> Answer:
    scene = raised.scene
    if scene is None or scene.scope is None:
        return _plain(error, raised)
    names = _names_at(raised)
    seen = tuple(f"{n}.requires_grad is False" for n in names[:1])
    off = _switched_off_here(raised)
    if off is not None:
        return Answer(
            "no_grad", f"`{(names or ['the loss'])[0]}` has no history: `{off.code}` runs where no history "
            "is recorded, and recording is still off at the call of backward.",
            off, (*seen, "torch.is_grad_enabled() is False at the call of backward"),
            "end it before the forward pass: use it as a block (`with torch.no_grad():`) around what is only "
            "looked at, or switch it on again with `torch.set_grad_enabled(True)`",
            certain=True,
        )  # fmt: skip
    search = Search(scene, has_history)
    for name in names:
        found = search.cut(name, scene.line)
        frozen = _frozen(name, raised)
        if frozen is not None and (found is None or found[0].kind == "history lost"):
            return frozen
        if found is not None:
            cut, certain, evidence = found
            return Answer(
                cut.kind, f"{name} has no history: `{cut.code}` {cut.what}.", cut.place, (*seen, *evidence),
                cut.mend, certain,
            )  # fmt: skip
        statements = search.relevant(name, scene.line)
        read = list(dict.fromkeys(path for s in statements for path in paths_in(s.value)))
        modules = [p for p in read if isinstance(scene.value(p), Module)]
        for module in modules:
            frozen = not any(p.requires_grad for p in scene.value(module).parameters())
            place = switched_off(module, scene) or (freezing([scene.frame.f_code.co_filename for scene in raised.scenes]) if frozen else None)
            if place is not None:
                return Answer(
                    "switched off", f"No parameter of {module} requires grad: that was set to False.", place,
                    seen, "set it to True again for what is to be trained", certain=len(modules) == 1,
                )  # fmt: skip
        first = [s for s in statements if not any(has_tensor(scene.value(p)) for p in paths_in(s.value))]
        makers = [s for s in first if has_tensor(scene.value(s.targets[0]))]
        if makers:
            return Answer(
                "does not require grad", f"Nothing that {name} was computed from requires grad.",
                scene.scope.place_of_line(makers[0].line), seen,
                f"make `{makers[0].targets[0]}` with `requires_grad=True` if it is what you differentiate by",
                certain=len(makers) == 1 and not modules,
            )  # fmt: skip
    return _plain(error, raised)


def _switched_off_here(raised: Raised) -> Place | None:
    """Return the line that switched recording off, where it is still off."""
    if modes().grad:
        return None
    for scene in raised.scenes:
        scope = scene.scope
        if scope is None:
            continue
        unrecorded = [
            s.unrecorded for s in scope.statements if s.unrecorded and _around(scope, s.unrecorded, scene)
        ]
        unrecorded += [n for call, n in scope.calls if n and call.lineno == scene.line]
        if unrecorded:
            return scope.place_of_line(unrecorded[-1])
    for scene in raised.scenes:
        lines = _calls_in_file(
            scene, lambda call: switches_off(call) and "no_grad" not in ast.unparse(call.func)
        )
        if lines:
            return Place(
                scene.frame.f_code.co_filename, lines[-1][0], lines[-1][1], _text_of(scene, lines[-1][0])
            )
    return None


def _around(scope: Scope, line: int, scene: Scene) -> bool:
    """Return whether the block or function whose line switches recording off holds a scene's line."""
    for node in ast.walk(scope.tree):
        if isinstance(node, (ast.With, ast.AsyncWith)) and node.lineno == line:
            return node.lineno <= scene.line <= (node.end_lineno or scene.line)
    return line <= scene.line


def _text_of(scene: Scene, line: int) -> str:
    return linecache.getline(scene.frame.f_code.co_filename, line).strip()


def _calls_in_file(scene: Scene, fits: Callable[[ast.Call], bool]) -> list[tuple[int, str]]:
    """Return (line, function) of the calls in a scene's file that fit, as statements of their own."""
    tree = tree_of(scene.frame.f_code.co_filename)
    found = []
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and fits(node.value):
            found.append((node.lineno, function_at(tree, node.lineno)))
    return found


def _frozen(name: str, raised: Raised) -> Answer | None:
    """Return the answer that no parameter of any module in sight requires grad; None where one does."""
    scene = raised.scene
    assert scene is not None  # the caller has looked
    modules = [
        (path, m) for s in raised.scenes for path, m in s.variables.items()
        if isinstance(m, Module) and next(m.parameters(), None) is not None
    ]  # fmt: skip
    if not modules or any(p.requires_grad for _, m in modules for p in m.parameters()):
        return None
    place = freezing([scene.frame.f_code.co_filename for scene in raised.scenes])
    if place is None:
        return None
    return Answer(
        "switched off", f"`{name}` has no history: no parameter of `{modules[0][0]}` requires grad, that was "
        "set to False.", place, (f"{name}.requires_grad is False",),
        "set it to True again for what is to be trained", certain=True,
    )  # fmt: skip


def has_tensor(value: Any) -> bool:
    """Return whether a value is or holds a tensor."""
    return next(tensors_in(value), None) is not None


def _names_at(raised: Raised) -> list[str]:
    """Names that the failing call is about."""
    return [] if raised.scene is None else _names_in(raised.scene)


def _names_in(scene: Scene) -> list[str]:
    """Names that a call of backward or grad on the line of a scene is about."""
    if scene.scope is None:
        return []
    names: list[str] = []
    for call, _ in scene.scope.calls:
        if call.lineno <= scene.line <= (call.end_lineno or call.lineno) and isinstance(
            call.func, ast.Attribute
        ):
            if call.func.attr == "backward":
                name = receiver_of(call, scene)
                names += [name] if name else []
            elif call.func.attr == "grad" and call.args:
                names += [p for p in paths_in(call.args[0]) if p not in ("torch", "pullback")]
    return names


def _unused(error: BaseException, raised: Raised) -> Answer:
    scene = raised.scene
    x = getattr(error, "blame", None)
    if scene is None or scene.scope is None or x is None:
        return _plain(error, raised)
    name = scene.name_of(x) or "the input"
    names = _names_at(raised)
    search = Search(scene, carrier_of(x, scene.tensors()))
    for output in names:
        made = scene.scope.assigning(name, scene.line)
        lines = [s.line for s in scene.scope.assigning(output, scene.line)]
        if lines and any(s.line < lines[-1] for s in made) and made[-1].line > lines[-1]:
            return Answer(
                "replaced leaf", f"{name} was given a new tensor after {output} was computed.",
                scene.scope.place_of_line(made[-1].line), (),
                f"ask for the tensor that {output} was computed from", certain=True,
            )  # fmt: skip
        found = search.cut(output, scene.line)
        if found is not None:
            cut, certain, evidence = found
            return Answer(
                cut.kind, f"The way from {name} to {output} is cut: `{cut.code}` {cut.what}.", cut.place,
                evidence, cut.mend, certain,
            )  # fmt: skip
    return Answer(
        "not reached", f"{', '.join(names) or 'the output'} was not computed from {name}.", raised.place, (),
        "ask for what it was computed from, or pass `allow_unused=True` and treat None as zero", certain=True,
    )  # fmt: skip


def _covector(error: BaseException, raised: Raised) -> Answer:
    return Answer(
        "needs a covector",
        "backward was called on more than one number, and does not know how to weigh them.",
        raised.place, tuple(getattr(error, "__notes__", ())),
        "reduce the output first (`.mean()`, `.sum()`), or pass v", certain=True,
    )  # fmt: skip


def _here(kind: str, cause: str, mend: str) -> Judge:
    """Return the judge of an error whose line is the one that raised it."""

    def judge(error: BaseException, raised: Raised) -> Answer:
        return Answer(kind, cause, raised.place, tuple(getattr(error, "__notes__", ())), mend, certain=True)

    return judge


def _plain(error: BaseException, raised: Raised) -> Answer:
    return Answer("error", str(error).splitlines()[0], raised.place, tuple(getattr(error, "__notes__", ())))


#: What an error of torch's begins with or holds, and who judges it.
JUDGES: tuple[tuple[str, Judge], ...] = (
    ("modified by an inplace operation", _in_place),
    ("Trying to backward through the graph a second time", _second_backward),
    ("does not require grad and does not have a grad_fn", _no_history),
    ("One of the differentiated Tensors does not require grad", _no_history),
    ("object has no attribute 'backward'", _no_history),
    ("appears to not have been used in the graph", _unused),
    ("grad can be implicitly created only for scalar outputs", _covector),
    (
        "Mismatch in shape: grad_output",
        _here("wrong covector", "The covector has another shape than the output.",
              "give v the output's shape: one weight for each element of the output"),
    ),
    (
        "a leaf Variable that requires grad is being used in an in-place operation",
        _here("write to a leaf", "The line writes into a leaf that requires grad while ops are recorded.",
              "update parameters under `with torch.no_grad():`, or compute on `x.clone()`"),
    ),
    (
        "a view of a leaf Variable that requires grad is being used in an in-place operation",
        _here("write to a leaf", "The line writes into a view of a leaf that requires grad.",
              "write under `with torch.no_grad():`, or into a view of `x.clone()`"),
    ),
    (
        "Can't call numpy() on Tensor that requires grad",
        _here("left the library", "A NumPy array cannot carry a history.",
              "`x.detach().numpy()` where no gradient must pass; otherwise the library's own functions"),
    ),
    (
        "only Tensors of floating point",
        _here("integer", "Integers have no derivative, so the tensor cannot require grad.",
              "make it of floats: `1.0` for `1`, `.float()`, `dtype=torch.float32`"),
    ),
    (
        "you can only change requires_grad flags of leaf variables",
        _here("not a leaf", "The flag belongs to leaves; this tensor is the result of an op.",
              "set the flag on the parameters, or cut with `y = y.detach()`"),
    ),
    (
        "modified inplace",
        _here("write to a view", "The line writes to a view whose history cannot be kept.",
              "use an op that makes a new tensor, or write to a `clone()`"),
    ),
)  # fmt: skip

__all__ = ["note_of", "why_error"]
