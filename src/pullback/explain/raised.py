"""`why_error`: what an error of the graph means in the program that ran into it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from ..core.blame import Place, own_file, place_at
from ..nn.modules.module import Module
from .answer import Answer
from .cuts import Search, carrier_of, has_history
from .missing import switched_off
from .roots import receiver_of
from .scene import Scene, paths_in, tensors_in

Judge = Callable[[BaseException, "Raised"], Answer]


class Raised:
    """Hold the frames of the program that an error went through.

    Attributes
    ----------
    frame : FrameType or None
        The innermost frame of the program.
    place : Place or None
        The line that it was at.
    """

    def __init__(self, error: BaseException) -> None:
        self.frame: FrameType | None = None
        self.instruction = 0
        self.place: Place | None = None
        self.scene: Scene | None = None
        traceback: TracebackType | None = error.__traceback__
        while traceback is not None:
            if not own_file[traceback.tb_frame.f_code.co_filename]:
                self.frame, self.instruction = traceback.tb_frame, traceback.tb_lasti
                self.line = traceback.tb_lineno
            traceback = traceback.tb_next
        if self.frame is not None:
            self.place = place_at(self.frame.f_code, self.instruction)
            self.scene = Scene(self.frame)
            self.scene.line = self.line


def why_error(error: BaseException) -> Answer:
    """Say what an error means in the program that ran into it, and which line to change.

    Parameters
    ----------
    error : exception
        As it was caught, with its traceback.
    """
    if not isinstance(error, BaseException):
        raise TypeError(f"why_error: expected an exception, got {type(error).__name__}")
    raised = Raised(error)
    text = str(error)
    for beginning, judge in JUDGES:
        if beginning in text:
            return judge(error, raised)
    notes = getattr(error, "__notes__", [])
    return Answer(
        "other error", f"{type(error).__name__}: {text.splitlines()[0] if text else ''}", raised.place,
        tuple(notes), "", certain=False,
    )  # fmt: skip


def _in_place(error: BaseException, raised: Raised) -> Answer:
    saved, changes = getattr(error, "blame", (None, ()))
    evidence = [] if saved is None else [f"saved at {saved}"]
    evidence += [f"changed at {place}" for place in changes]
    return Answer(
        "in-place change",
        "A value that the derivative needs was written over between the forward pass and backward.",
        changes[0] if changes else raised.place, tuple(evidence),
        "use the op that makes a new tensor (`x = x + 1` for `x += 1`, `relu` for `relu_`), write to a "
        "`clone()`, or do the write after backward",
        certain=len(changes) == 1,
    )  # fmt: skip


def _second_backward(error: BaseException, raised: Raised) -> Answer:
    made, first = getattr(error, "blame", (None, None))
    evidence = [] if first is None else [f"the first backward ran at {first}"]
    if made is not None:
        evidence.append(f"the part of the graph that both went through was made at {made}")
    again = raised.place
    if again is not None:
        evidence.append(f"the second one at {again}")
    if first is not None and again is not None and (first.file, first.line) == (again.file, again.line):
        return Answer(
            "shared graph in a loop",
            "Each turn of the loop goes back through a part of the graph that an earlier turn has freed.",
            made, tuple(evidence),
            "compute it inside the loop; for a state that is carried on, `detach()` it between turns",
            certain=False,
        )  # fmt: skip
    return Answer(
        "second backward", "The first backward freed what the second one needs.", first, tuple(evidence),
        "pass `retain_graph=True` to the first, add the losses and call backward once, or `detach()` what "
        "the second need not go through",
    )  # fmt: skip


def _no_history(error: BaseException, raised: Raised) -> Answer:
    scene = raised.scene
    if scene is None or scene.scope is None:
        return _plain(error, raised)
    names = _names_at(raised)
    seen = tuple(f"{n}.requires_grad is False" for n in names[:1])
    search = Search(scene, has_history)
    for name in names:
        found = search.cut(name, scene.line)
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
            place = switched_off(module, scene)
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


def has_tensor(value: Any) -> bool:
    """Return whether a value is or holds a tensor."""
    return next(tensors_in(value), None) is not None


def _names_at(raised: Raised) -> list[str]:
    """Names that the failing call is about."""
    scene = raised.scene
    if scene is None or scene.scope is None:
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
    return Answer(
        "error", str(error).splitlines()[0], raised.place, tuple(getattr(error, "__notes__", ()))
    )


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

__all__ = ["why_error"]
