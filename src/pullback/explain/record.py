"""Recording: every call of `backward` and `grad` in a block is explained, just before it runs.

The call itself runs as it would: the explanation pulls the covector back on its own first, and when the call
is over only looks at what it left in `.grad`.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
from numpy import ndarray

from ..core.value import TensorBase
from ..tensor import backward as calls
from .answer import Answer
from .build import Builder
from .explanation import Call, Explanation
from .modules import ModuleCalls
from .page import frame_of, page_of
from .shown import show
from .site import Site
from .walk import array_at_bottom, looking
from .watch import Watch

#: Calls from one line that are explained in full; of further ones values and gradients only.
IN_FULL = 10


class Recording:
    """Explains the calls of `backward` and `grad` that the program makes while it is on.

    Parameters
    ----------
    in_full : int
        How many calls from one line are explained with Jacobians and path; of further ones with the values
        and gradients only.
    keep_graphs : bool
        Keep the graphs, so that `Explanation.row` and `column` work after the calls.

    Attributes
    ----------
    explanations : list of Explanation
        One per call, in the order of the calls.
    """

    def __init__(self, in_full: int = IN_FULL, keep_graphs: bool = False) -> None:
        self.explanations: list[Explanation] = []
        self.in_full = in_full
        self.keep_graphs = keep_graphs
        self._calls: Counter[tuple[CodeType, int]] = Counter()
        self._modules = ModuleCalls()
        self._watch = Watch(self._modules)
        self._brief: dict[tuple[CodeType, int], Call] = {}

    def __enter__(self) -> Recording:
        calls.observers.append(self._observe)
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
        """What is wrong in the program, the gravest first; complete when the block has ended."""
        return list(self._watch.findings)

    @property
    def failures(self) -> list[str]:
        """What could not be watched, and why."""
        return self._watch.failures

    def __len__(self) -> int:
        return len(self.explanations)

    def __getitem__(self, index: int) -> Explanation:
        return self.explanations[index]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all explanations as one HTML page."""
        Path(path).write_text(page_of([e.to_dict() for e in self.explanations]), encoding="utf-8")

    def _repr_html_(self) -> str:
        return frame_of([e.to_dict() for e in self.explanations])

    def __str__(self) -> str:
        found = [answer.in_a_line() for answer in self.findings]
        return "\n\n".join([*found, *map(str, self.explanations)])

    def _observe(
        self, call: calls.BackwardCall
    ) -> Callable[[BaseException | None, Any], None] | None:
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
            self._attend(count + 1 == again)
            return None
        self._attend(count < self.in_full or count + 1 == again)
        site = Site.of(call.kind, frame)
        builder = Builder(
            call, site, brief=count > self.in_full, modules=self._modules, checked=count <= CHECKED
        )
        try:
            explanation = builder.build()
            self._watch.backward(call, frame, builder.path, explanation)
        except Exception as error:  # noqa: BLE001  # a call that fails is the program's, and raises by itself
            explanation = Explanation(site.call)
            explanation.notes.append(f"Not explained: {type(error).__name__}: {error}")
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
        for y in call.outputs:
            value = array_at_bottom(y)
            if isinstance(value, ndarray) and value.size == 1:
                explanation.loss = float(value.reshape(()).astype(np.complex128).real)
        self.explanations.append(explanation)
        self._watch.backward_brief(call, frame)

    def _attend(self, on: bool) -> None:
        """Write the next turn down in full, or not."""
        if on == self._watch.full and on == self._watch.trace.on:
            return
        self._watch.full = on
        if on:
            self._modules.start()
            self._watch.trace.start()
        elif all(count >= self.in_full for count in self._calls.values()):
            self._watch.trace.stop()
            self._watch.trace.clear()
            self._modules.stop()


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
    """Note what the call left in `.grad`; return where that is not what was there before with vᵀ·J added: the
    leaf's name, and the norms without and with the hook that changed it.
    """
    changed = []
    for part, tensor in zip(explanation.leaves, tensors):
        grad = tensor._grad if isinstance(tensor, TensorBase) else None
        value = None if grad is None else array_at_bottom(grad)
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
