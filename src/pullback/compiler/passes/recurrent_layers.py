"""Recurrent layers as the ops of their steps, which loops and kernels are made of."""

from collections.abc import Callable, Sequence
from typing import Any

from ...core.op import TABLE
from ...core.recorder import Equation, Recorder, Reference, read_by
from ...core.tracer import Tracer
from ...ops import recurrent
from .simplification import renumbered

#: The layers' ops, and what does the same step by step: all states and the last ones.
IN_STEPS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "elman": recurrent.elman_in_steps,
    "elman_packed": recurrent.elman_in_steps,
    "gru": recurrent.gru_in_steps,
    "gru_packed": recurrent.gru_in_steps,
    "lstm": recurrent.lstm_in_steps,
    "lstm_packed": recurrent.lstm_in_steps,
    "mkldnn_rnn_layer": recurrent.lstm_in_steps,
}


def in_steps(
    whole: list[Equation], recorder: Recorder, wanted: Sequence[int], later: Sequence[Equation]
) -> list[Equation]:
    """Return equations of a recorder with the steps of recurrent layers in place of these.

    The steps do not make what the layers keep for their covectors on arrays, and covectors of traced values
    do not read it. A layer stays whole where it is read all the same, if `later`, or among the values that
    are wanted.
    """
    if not any(equation.op in IN_STEPS for equation in whole):
        return whole
    read = read_by([*whole, *later]).union(wanted)
    before, recorder.equations = recorder.equations, []
    for equation in whole:
        if equation.op in IN_STEPS and read.isdisjoint(_kept_outputs(equation)):
            _write_steps(recorder, equation)
        else:
            recorder.equations.append(equation)
    found, recorder.equations = recorder.equations, before
    return found


def _kept_outputs(equation: Equation) -> Sequence[int]:
    """Return the outputs of a layer that its steps do not make: those without covectors."""
    made = TABLE[equation.op].differentiable_outputs
    return [output for n, output in enumerate(equation.outputs) if n not in made]


def _write_steps(recorder: Recorder, equation: Equation) -> None:
    first = len(recorder.equations)
    operands = [Tracer(recorder, o.index) if isinstance(o, Reference) else o for o in equation.operands]
    results = IN_STEPS[equation.op](*operands, *equation.attrs)
    number = {v.index: output for v, output in zip(results, equation.outputs, strict=False)}
    recorder.equations[first:] = [
        e._replace(
            operands=renumbered(e.operands, number), outputs=tuple(number.get(o, o) for o in e.outputs)
        )
        for e in recorder.equations[first:]
    ]
