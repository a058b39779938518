"""Record a run: every call of `backward` and `grad` in a block is explained, just before it runs.

The call itself runs as it would: the explanation pulls the covector back on its own first, and when the call
is over only looks at what it left in `.grad`.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.value import TensorBase, innermost
from ..nn.modules.module import Module
from ..optim.optimizer import Optimizer
from ..tensor import backward as calls
from .answer import Answer
from .build import Builder
from .explanation import Call, Explanation
from .modules import ModuleCalls
from .page import in_frame, page_of
from .run import Run
from .shown import show
from .site import Site
from .walk import looking
from .watch import Watch

#: Calls from one line that are explained in full; of further ones values and gradients only.
IN_FULL = 10


class Recording:
    """Explain the calls of `backward` and `grad` that the program makes while it is on.

    Parameters
    ----------
    in_full : int
        How many calls from one line are explained with Jacobians and path; of further ones with the values
        and gradients only.
    keep_graphs : bool
        Keep the graphs, so that `Explanation.row` and `column` work after the calls.
    every : int, optional
        Write the curves of the layers down in every so many steps.

    Attributes
    ----------
    explanations : list of Explanation
        One per call, in the order of the calls.
    run : Run
        The curves of the training run.
    """

    def __init__(self, in_full: int = IN_FULL, keep_graphs: bool = False, every: int | None = None) -> None:
        self.explanations: list[Explanation] = []
        self.in_full = in_full
        self.keep_graphs = keep_graphs
        self._calls: Counter[tuple[CodeType, int]] = Counter()
        self._modules = ModuleCalls()
        self.run = Run(every)
        self._watch = Watch(self._modules, self.run)
        self._brief: dict[tuple[CodeType, int], Call] = {}

    def __enter__(self) -> Recording:
        calls.observers.append(self._observe)
        self._modules.late = self._listen
        self._modules.start()
        self._watch.start()
        return self

    def __exit__(self, *exc: Any) -> None:
        self._watch.stop()
        self._modules.stop()
        calls.observers.remove(self._observe)
        self._watch.failed = exc[0] is not None and issubclass(exc[0], Exception)
        self._watch.finish()

    @property
    def findings(self) -> list[Answer]:
        """Return what is wrong in the program, the gravest first; complete when the block has ended."""
        return list(self._watch.findings)

    @property
    def failures(self) -> list[str]:
        """Return what could not be watched, and why."""
        return self._watch.failures

    def __len__(self) -> int:
        return len(self.explanations)

    def __getitem__(self, index: int) -> Explanation:
        return self.explanations[index]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all explanations as one HTML page."""
        Path(path).write_text(self.page(), encoding="utf-8")

    def page(self, findings: Sequence[Answer] | None = None) -> str:
        """Return the findings, or others in place of them, the curves and all explanations as one page."""
        found = self.findings if findings is None else findings
        told = [{**one.to_dict(), "step": self.run.seen.get((one.kind, one.place))} for one in found]
        drawn = [e.to_dict() for e in self.explanations if e.leaves or e.notes]
        return page_of(drawn, None, told, self.run.to_dict())

    def _repr_html_(self) -> str:
        return in_frame(self.page())

    def __str__(self) -> str:
        found = [answer.in_a_line() for answer in self.findings]
        return "\n\n".join([*found, *map(str, self.explanations)])

    def _observe(self, call: calls.BackwardCall) -> Callable[[BaseException | None, Any], None] | None:
        """Explain a call that is about to run; what is returned runs when it is over."""
        frame = _caller(sys._getframe(1))
        if frame is None or looking.get():
            return None
        at = (frame.f_code, frame.f_lasti)
        self._calls[at] += 1
        count = self._calls[at]
        again = max(self.in_full, 1) * 3
        while again < count:
            again *= 2
        if count > self.in_full and count != again:
            self._mention(call, frame, at)
            self._attend(count + 1 == again, self.run.due(count + 1))
            return None
        self._attend(count < self.in_full or count + 1 == again, self.run.due(count + 1))
        site = Site.of(call.kind, frame)
        builder = Builder(
            call, site, brief=count > self.in_full, modules=self._modules, checked=count <= CHECKED,
            trace=self._watch.trace,
        )  # fmt: skip
        try:
            explanation = builder.build()
            self._watch.backward(call, frame, builder.path, explanation)
        except Exception as error:  # noqa: BLE001  # a call that fails is the program's, and raises by itself
            explanation = Explanation(site.call)
            explanation.notes.append(f"Not explained: {type(error).__name__}: {error}")
        self._count(site.call, call)
        self.explanations.append(explanation)

        def finish(error: BaseException | None, result: Any) -> None:
            if not self.keep_graphs:
                explanation._row = explanation._column = None
            if call.kind == "grad" and error is None:
                self._watch.differentiated(call, result, frame)
            if error is not None:
                explanation.notes.append(f"The call raised {type(error).__name__}: {error}")
            elif call.kind == "backward" and explanation.leaves:
                for changed in _look_at_grads(explanation, tensors):
                    self._watch.hook_changed(*changed)

        tensors = _leaf_tensors(call, explanation)
        return finish

    def _mention(self, call: calls.BackwardCall, frame: FrameType, at: tuple[CodeType, int]) -> None:
        """Write down that a call was made, and the loss."""
        described = self._brief.get(at)
        if described is None:
            described = self._brief[at] = Site.of(call.kind, frame).call
        explanation = Explanation(described)
        explanation.loss = self._count(described, call)
        self.explanations.append(explanation)
        self._watch.backward_brief(call, frame, explanation.loss)

    def _count(self, described: Call, call: calls.BackwardCall) -> float | None:
        """Write a call down on the curves; return the loss, where an output is one number."""
        loss = None
        for y in call.outputs:
            value = innermost(y)
            if isinstance(value, ndarray) and value.size == 1:
                loss = float(value.item().real)
        if call.kind == "backward":
            self.run.note(self._watch.findings, len(self._watch.findings))
            self.run.turn(lambda module: self._watch.module_names.get(id(module)))
            self.run.loss(described, loss)
        return loss

    def _listen(self) -> None:
        """Write down what happens up to the next call of `backward`, as something new has begun."""
        self._modules.start()
        self._watch.trace.start()

    def _attend(self, on: bool, listen: bool = False) -> None:
        """Write the next turn down in full, or not; `listen` for its calls of functions alone."""
        if on == self._watch.full and (on or listen) == self._watch.trace.on:
            return
        self._watch.full = on
        if on or listen:
            self._modules.start()
            self._watch.trace.start()
        elif all(count >= self.in_full for count in self._calls.values()):
            self._watch.trace.stop()
            self._watch.trace.clear()
            self._modules.idle()


def record(in_full: int = IN_FULL, keep_graphs: bool = False) -> Recording:
    """Explain every call of `backward` and `autograd.grad` in a ``with`` block.

    ``with pullback.explain.record() as r:`` leaves one `Explanation` per call in ``r.explanations``. Calls
    that the library makes by itself (within `gradcheck`, a checkpoint) are not among them.

    Parameters
    ----------
    in_full : int
        How many calls from one line are explained in full; of further ones values and gradients only.
    keep_graphs : bool
        Keep the graphs, so that `Explanation.row` and `column` work after the calls.
    """
    return Recording(in_full, keep_graphs)


class Watching(Recording):
    """A recording that is on from its beginning until `close`, of a model and its optimizers."""

    def __init__(self, model: Module, optimizers: Sequence[Optimizer], every: int, in_full: int) -> None:
        super().__init__(in_full, every=every)
        self._on = False
        self.__enter__()
        self._watch.names.update((id(p), name) for name, p in model.named_parameters())
        self._watch.module_names.update((id(m), name) for name, m in model.named_modules() if name)
        for optimizer in optimizers:
            self._watch.adopt(optimizer)

    def __enter__(self) -> Watching:
        if not self._on:
            self._on = True
            super().__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._on:
            self._on = False
            super().__exit__(*exc)

    def close(self) -> None:
        """Watch no more, and add to the findings what only the whole run shows."""
        self.__exit__(None, None, None)


def watch(
    model: Module, optimizer: Optimizer | Sequence[Optimizer] = (), every: int = 10, in_full: int = 1
) -> Watching:
    """Watch a training run: ``run = explain.watch(model, optimizer)``, and after it ``run.save("run.html")``.

    The page has the curves of the loss, and for each layer those of the norm of its gradient, of the size of
    its update beside that of its weights, and of its units that gave 0 for the whole batch; the findings
    stand where they were seen first. `close` ends it, as does leaving a ``with`` block; `save` before that
    shows the run up to there.

    Parameters
    ----------
    model : Module
    optimizer : Optimizer or sequence of Optimizer
        Those made later are watched too.
    every : int
        Look at the layers in every so many steps.
    in_full : int
        How many calls of `backward` from one line are explained in full.

    Raises
    ------
    ValueError
        Where `every` is less than 1.
    """
    if every < 1:
        raise ValueError(f"every must be at least 1, got {every}")
    optimizers = [optimizer] if isinstance(optimizer, Optimizer) else list(optimizer)
    return Watching(model, optimizers, every, in_full)


#: Calls from one line whose Jacobians are compared with differences, which takes most of the time.
CHECKED = 1

#: Modules through which a call of the user's reaches the observers.
_ENTRANCES = (__name__.rpartition(".")[0] + ".", __name__.split(".", 1)[0] + ".tensor.")


def _caller(frame: FrameType | None) -> FrameType | None:
    """Return the user's frame that called `backward` or `grad`; None where the library called by itself."""
    while frame is not None:
        name = str(frame.f_globals.get("__name__", "")) + "."
        if not name.startswith(_ENTRANCES):
            return None if name.startswith(_ENTRANCES[1].partition(".")[0] + ".") else frame
        frame = frame.f_back
    return None


def _leaf_tensors(call: calls.BackwardCall, explanation: Explanation) -> list[Any]:
    """Return the tensors that the parts about leaves stand for."""
    if call.inputs is not None:
        return list(call.inputs)
    tensors = explanation._tensors
    explanation._tensors = []
    return tensors


def _look_at_grads(explanation: Explanation, tensors: list[Any]) -> list[tuple[str, float, float]]:
    """Note `.grad`; return (leaf, norm without, norm with) where a hook changed what was added."""
    changed = []
    for part, tensor in zip(explanation.leaves, tensors):
        grad = tensor._grad if isinstance(tensor, TensorBase) else None
        value = None if grad is None else innermost(grad)
        if not isinstance(value, ndarray):
            part.after = None
            if part.gradient is not None:
                explanation.notes.append(
                    f"{part.name}.grad is None after the call: a hook took it away, as an optimizer step in "
                    "backward does."
                )
            continue
        expected = part.after
        part.after = show(value)
        if expected is not None and not _close(expected, part.after):
            explanation.notes.append(
                f"{part.name}.grad is not what it was with vᵀ·J added: a hook changed it on the way."
            )
            changed.append((part.name, expected.norm, part.after.norm))
    return changed


def _close(expected: Any, found: Any) -> bool:
    if expected.array is not None and found.array is not None:
        with np.errstate(all="ignore"):
            return bool(np.allclose(expected.array.astype(found.array.dtype), found.array, 1e-3, 1e-5, True))
    if expected.summary is None or found.summary is None:
        return False
    return bool(np.isclose(expected.summary["norm"], found.summary["norm"], 1e-3, 1e-5, True))
