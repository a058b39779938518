"""Make the bodies of loops and branches: write a function down as one, and the bodies of its derivatives.

A body's pullback, its pushforward and its batched form are had as those of any function: the body is replayed
under `vjp`, `jvp` or `vmap` on tracers, which writes the new body down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..array import dtypes
from ..array.named_tuples import NamedTuple
from ..core.body import Body, BodyRecorder
from ..core.levels import entered_level
from ..core.node import DIFFERENTIABLE
from ..core.op import TABLE
from ..core.recorder import Equation, Recorder, Reference
from ..core.tracer import tracing
from ..core.value import TensorBase, wrap
from ..ops.cheap import CHEAP
from ..ops.refusing import stays
from ..tensor.tree import TreeSpec, tree_flatten
from .transforms import jvp, replaced, vjp
from .vmap import vmap

Kind = tuple[tuple[int, ...], np.dtype[Any]]


def is_differentiable(kind: Kind) -> bool:
    """Return whether values of a dtype have gradients."""
    return kind[1] in DIFFERENTIABLE


def as_values(leaves: Iterable[object], what: str) -> list[Any]:
    """Return leaves as tensors: a Python number becomes one without axes."""
    found = []
    for leaf in leaves:
        if isinstance(leaf, TensorBase):
            found.append(leaf)
        elif isinstance(leaf, (bool, int, float, complex)):
            found.append(wrap(np.asarray(leaf, number_dtype(leaf))))
        else:
            raise TypeError(f"{what} holds tensors and numbers, not {type(leaf).__name__}")
    return found


def number_dtype(value: object) -> np.dtype[Any]:
    """Return the dtype of a tensor made of a Python number."""
    if isinstance(value, (bool, int)):
        return np.dtype(type(value))
    real = dtypes.get_default_dtype().numpy
    return real if isinstance(value, float) else np.result_type(real, np.complex64)


class Written(NamedTuple):
    """A function written down: its body, what it reads from outside, and how its outputs are nested."""

    body: Body
    held: list[Any]
    spec: TreeSpec


def write_down(functions: Sequence[Callable[..., Any]], kinds: Sequence[Kind], what: str) -> list[Written]:
    """Write functions of tensors of the same kinds down; all of them get the same held inputs after these."""
    recorders, written = [], []
    for function in functions:
        with entered_level(differentiating=True) as level:
            recorder = BodyRecorder(level)
            inputs = [recorder.new(*kind) for kind in kinds]
            # What a step draws is drawn by every step: it belongs to the body.
            with tracing(recorder):
                leaves, spec = tree_flatten(function(*(wrap(v, None, level) for v in inputs)))
            outputs = [recorder.operand(t)[0].index for t in as_values(leaves, what)]
        recorders.append(recorder)
        written.append((recorder, [v.index for v in inputs], outputs, spec))
    held = list({id(v): v for recorder in recorders for v in recorder.held}.values())
    result = []
    for recorder, numbers, outputs, spec in written:
        numbers = numbers + [recorder.operand(v)[0].index for v in held]
        result.append(Written(Body.of(recorder, inputs=numbers, outputs=outputs), held, spec))
    return result


def roots(body: Body) -> list[int | None]:
    """Return, for each output of a body, which input it is, or is a view of."""
    makers = {number: e for e in body.equations for number in e.outputs}
    found = []
    for number in body.outputs:
        while (maker := makers.get(number)) is not None and TABLE[maker.op].is_view:
            number = maker.operands[0].index
        found.append(body.inputs.index(number) if number in body.inputs else None)
    return found


def _tensors(recorder: Recorder, kinds: Iterable[Kind], level: int) -> list[Any]:
    return [wrap(recorder.new(*kind), None, level) for kind in kinds]


def _number(recorder: Recorder, value: object) -> int:
    while isinstance(value, TensorBase):
        value = value._value
    reference: Reference = recorder.operand(value)[0]
    return reference.index


def rewritten(
    function: Callable[..., Sequence[Any]], kinds: Sequence[Kind], count: int | None = None
) -> Body:
    """Return the body of a function of tensors that holds nothing."""
    with entered_level() as level:
        recorder = Recorder(level)
        inputs = _tensors(recorder, kinds, level)
        outputs = [_number(recorder, v) for v in function(*inputs)]
    numbers = [_number(recorder, v) for v in inputs]
    return pruned(Body.of(recorder, inputs=numbers, outputs=outputs))


def pruned(body: Body) -> Body:
    """Return the body without equations that its outputs do not need; draws stay, and what may raise."""
    wanted = set(body.outputs)
    kept: list[Equation] = []
    for equation in reversed(body.equations):
        if any(o in wanted for o in equation.outputs) or stays(equation, body.dtypes):
            wanted.update(o.index for o in equation.operands if isinstance(o, Reference))
            kept.append(equation)
    constants = {k: v for k, v in body.constants.items() if k in wanted}
    return Body(body.inputs, kept[::-1], body.outputs, constants, body.shapes, body.dtypes)


def mapped(body: Body, dims: Sequence[int | None], size: int) -> Body:
    """Return the body over a batch: inputs with a dim of 0, and all outputs, have the batch axis first."""
    kinds = [
        (shape if dim is None else (size, *shape), dtype)
        for (shape, dtype), dim in zip(body.kinds(body.inputs), dims, strict=True)
    ]
    return rewritten(vmap(body.replay, in_dims=tuple(dims), randomness="different"), kinds)


def pushed(body: Body, moved: Sequence[bool]) -> Body:
    """Return the body with tangents: its inputs are followed by the tangents of those that are `moved`, its
    outputs by the tangents of those that are differentiable.
    """
    kinds = body.kinds(body.inputs)
    wanted = [n for n, m in enumerate(moved) if m]
    carried = [n for n, kind in enumerate(body.kinds(body.outputs)) if is_differentiable(kind)]

    def function(*values: object) -> Sequence[Any]:
        inputs, tangents = values[: len(kinds)], values[len(kinds) :]

        def moving(*some: object) -> Any:
            outputs = body.replay(*replaced(inputs, wanted, some))
            return tuple(outputs[n] for n in carried), outputs

        if not carried:
            return body.replay(*inputs)
        _, derivatives, outputs = jvp(moving, tuple(inputs[n] for n in wanted), tangents, has_aux=True)
        return (*outputs, *derivatives)

    return rewritten(function, [*kinds, *(kinds[n] for n in wanted)])


class Pullback(NamedTuple):
    """Pull covectors back through a body."""

    forward: Body  # the body, which gives the values that `body` needs as further outputs
    body: Body  # takes covectors, those further outputs, the inputs that it reads; gives those wanted
    covectors: list[int]  # positions of the outputs that have covectors
    inputs: list[int]  # positions of the inputs that it reads
    wanted: list[int]  # positions of the inputs whose covectors it gives
    kept: int  # how many further outputs there are


def pulled(body: Body, wanted: Sequence[int], changing: int = 0) -> Pullback:
    """Return the pullback of a body to some of its inputs; the first `changing` of these are not there any
    more when it runs, so that it gets what it reads of them as further outputs.
    """
    covectors = [n for n, kind in enumerate(body.kinds(body.outputs)) if is_differentiable(kind)]
    with entered_level() as level:
        recorder = Recorder(level)
        inputs = _tensors(recorder, body.kinds(body.inputs), level)
        numbers = [_number(recorder, v) for v in inputs]

        def function(*some: object) -> Any:
            outputs = body.replay(*replaced(inputs, wanted, some))
            return tuple(outputs[n] for n in covectors), outputs

        _, pull, outputs = vjp(function, *(inputs[n] for n in wanted), has_aux=True)
        results = [_number(recorder, v) for v in outputs]
        forward = list(recorder.equations)
        incoming = _tensors(recorder, (body.kinds(body.outputs)[n] for n in covectors), level)
        grads = [_number(recorder, v) for v in pull(tuple(incoming))]
    own = [_number(recorder, v) for v in incoming]
    again, saved = _needed_of(forward, recorder.equations[len(forward) :], grads, {*own}, recorder)
    read = [n for n, number in enumerate(numbers) if number in saved and n >= changing]
    kept = [v for v in saved if v not in numbers[changing:]]

    def made(inputs: Sequence[int], equations: Sequence[Equation], outputs: Sequence[int]) -> Body:
        return pruned(Body.of(recorder, inputs=inputs, equations=equations, outputs=outputs))

    back = made([*own, *kept, *(numbers[n] for n in read)], again, grads)
    whole = made(numbers, forward, [*results, *kept])
    return Pullback(whole, back, covectors, read, list(wanted), len(kept))


def _needed_of(
    forward: Sequence[Equation], later: Sequence[Equation], targets: Sequence[int], own: set[int],
    recorder: Recorder,
) -> tuple[list[Equation], list[int]]:  # fmt: skip
    """Return a pullback's equations and the forward values that it reads; cheap ones are computed again."""
    maker = {o: e for e in forward for o in e.outputs}
    made = {o for e in later for o in e.outputs} | own | set(recorder.constants)
    wanted = set(targets)
    kept: list[Equation] = []
    for equation in reversed(later):
        if any(o in wanted for o in equation.outputs):
            wanted.update(o.index for o in equation.operands if isinstance(o, Reference))
            kept.append(equation)
    again: set[int] = set()
    saved: dict[int, None] = {}
    waiting = sorted(wanted - made)
    while waiting:
        number = waiting.pop()
        if number in again or number in saved or number in recorder.constants:
            continue
        equation = maker.get(number)
        if equation is None or not (TABLE[equation.op].kind == "view" or equation.op in CHEAP):
            saved[number] = None
            continue
        again.update(equation.outputs)
        waiting += [o.index for o in equation.operands if isinstance(o, Reference)]
    repeated = [e for e in forward if e.outputs[0] in again]
    return [*repeated, *reversed(kept)], sorted(saved)
