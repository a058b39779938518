"""Look at axes: shapes that broadcast by chance, a softmax over the wrong axis, a reshape that mixes axes."""

import math
from typing import Any

from ...core.node import DIFFERENTIABLE
from ...core.value import TensorBase, dtype_of, shape_of
from ..shown import dims
from ..trace import Event
from .collected import Findings, calls_of
from .makers import PASSING, origin

#: Arithmetic whose operands are broadcast.
ARITHMETIC = {"sub", "__sub__", "__rsub__", "mul", "__mul__", "__rmul__", "add", "__add__", "__radd__", "pow",
              "div", "__truediv__", "subtract", "multiply", "rsub", "__rdiv__", "__div__"}  # fmt: skip

#: Said of an axis that the program does not name.
CHOSEN = ", as torch chooses where `dim` is left out"

#: Results of these have an axis that was put in on purpose.
SHAPING = {
    "unsqueeze", "view", "reshape", "expand", "expand_as", "__getitem__", "keepdim", "outer", "permute",
}


@calls_of(*ARITHMETIC)
def _arithmetic(event: Event, findings: Findings) -> None:
    tensors = [a for a in event.args[:2] if isinstance(a, TensorBase)]
    if len(tensors) != 2 or not event.outputs:
        return
    a, b = tensors
    have, want = shape_of(a), shape_of(b)
    if len(want) > len(have):
        a, b, have, want = b, a, want, have
    _along_the_width(event, a, b, findings)
    column = len(have) == 2 and len(want) == 1 and have[1] == 1 and have[0] > 1 and want[0] > 1
    if not column or (a._node is None) == (b._node is None):
        return
    if shape_of(event.outputs[0]) != (have[0], want[0]):
        return
    if any(_on_purpose(event.maker_of(t), t) for t in (a, b)):
        return
    findings.tell("broadcast", event, have=dims(have), want=dims(want), square=dims((have[0], want[0])))


@calls_of("__eq__", "eq", "__ne__", "ne")
def _compared(event: Event, findings: Findings) -> None:
    """Say where a column is compared with a row, as predictions with labels in an accuracy."""
    pair = [a for a in event.args[:2] if isinstance(a, TensorBase)]
    shapes = sorted(map(shape_of, pair), key=len)
    if len(pair) != 2 or [len(s) for s in shapes] != [1, 2] or shapes[1] != (shapes[0][0], 1):
        return
    makers = [event.maker_of(t) for t in pair]
    if shapes[0][0] < 2 or any(m is not None and m.name == "arange" for m in makers):
        return
    if any(map(_on_purpose, makers, pair)):
        return
    size = shapes[0][0]
    findings.tell(
        "broadcast in a comparison", event, second=dims(shapes[1]), first=dims(shapes[0]),
        square=dims((size, size))
    )


def _along_the_width(event: Event, a: Any, b: Any, findings: Findings) -> None:
    """Say where one number for each sample meets the last axis, which has the same size by chance."""
    have, want = shape_of(a), shape_of(b)
    if len(have) < 3 or len(want) != 1 or not have[0] == have[-1] == want[0] > 1:
        return
    if event.maker_of(b) is None:
        return  # made once, as weights and statistics of features are
    findings.tell(
        "broadcast along the last axis", event, have=dims(have), want=dims(want), first=want[0],
        ones=", 1" * (len(have) - 1)
    )


def _on_purpose(maker: Event | None, tensor: Any) -> bool:
    """Return whether the axis of size 1 was put in by the program just before."""
    if maker is None:
        return False
    if maker.kwargs.get("keepdim") is True:
        return True
    return maker.name in SHAPING and len(shape_of(tensor)) == 2 and bool(
        maker.inputs and len(shape_of(maker.inputs[0][0])) == 1
    )  # fmt: skip


@calls_of("__getitem__")
def _last_of_batch(event: Event, findings: Findings) -> None:
    """Say where the last step of a recurrent layer's output is taken along the axis of the batch."""
    index = event.args[1] if len(event.args) > 1 else None
    maker = event.inputs[0][1] if event.inputs else None
    if maker is None or maker.name not in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
        return
    if event.inputs[0][0] is not maker.outputs[0]:
        return  # the final states, whose first axis is that of the layers
    if index == -1 and getattr(maker.module, "batch_first", False) is True and len(
        shape_of(event.inputs[0][0])
    ) == 3:
        findings.tell("last of the batch: batch first", event, maker=maker)
        return
    last = isinstance(index, tuple) and len(index) > 1 and index[0] == slice(None) and index[1] == -1
    if last and getattr(maker.module, "batch_first", True) is False:
        findings.tell("last of the batch: steps first", event, maker=maker)


@calls_of("normalize")
def _normalised_axis(event: Event, findings: Findings) -> None:
    x, dim = event.argument(0, "input"), event.argument(2, "dim", 1)
    if isinstance(x, TensorBase) and event.wanted and dim == 0 and len(shape_of(x)) == 2:
        findings.tell("normalised over the batch", event, x=dims(shape_of(x)))


@calls_of("reshape", "view")
def _swapped_axes(event: Event, findings: Findings) -> None:
    """Say where a reshape gives two axes each other's sizes: it does not exchange them."""
    x = event.argument(0, "input")
    if not isinstance(x, TensorBase) or len(event.outputs) != 1 or not (
        event.wanted or dtype_of(x) in DIFFERENTIABLE
    ):  # fmt: skip
        return
    have, want = shape_of(x), shape_of(event.outputs[0])
    if have == want or len(have) < 2:
        return
    if len(have) != len(want):
        _moved_axis(event, have, want, findings)
        return
    moved = [k for k, (a, b) in enumerate(zip(have, want)) if a != b]
    if len(moved) == 2 and have[moved[0]] == want[moved[1]] and have[moved[1]] == want[moved[0]]:
        if 1 in (have[moved[0]], have[moved[1]]):
            return
        a, b = moved
        findings.tell(
            "reshape instead of transpose: two axes", event, event=event, have=dims(have),
            want=dims(want), a=a, b=b
        )


@calls_of("squeeze")
def _squeezed_batch(event: Event, findings: Findings) -> None:
    """Say where `squeeze` without an axis also takes away that of a batch with one sample."""
    x = event.argument(0, "input")
    if not isinstance(x, TensorBase) or len(event.args) > 1 or event.kwargs.get("dim") is not None:
        return
    have = shape_of(x)
    made = origin(event.maker_of(x), PASSING)
    if event.wanted and len(have) == 2 and have == (1, 1) and made is not None and made.name == "linear":
        findings.tell("squeezed batch", event)


def _moved_axis(event: Event, have: tuple[int, ...], want: tuple[int, ...], findings: Findings) -> None:
    """Say where a reshape seems to move an axis past another one: it reads the numbers on in their order."""
    for axis, size in enumerate(have):
        if size == 1 or have.count(size) != 1 or want.count(size) != 1:
            continue
        if math.prod(have[:axis]) != math.prod(want[: want.index(size)]):
            findings.tell(
                "reshape instead of transpose: one axis moved", event, event=event, have=dims(have),
                want=dims(want), axis=axis, size=size, axis_2=want.index(size)
            )
            return


@calls_of("softmax", "log_softmax")
def _axis(event: Event, findings: Findings) -> None:
    x = event.argument(0, "input")
    dim = event.argument(1, "dim")
    if not isinstance(x, TensorBase) or not event.wanted:
        return
    shape = shape_of(x)
    left_out = dim is None
    if left_out:  # as torch chooses it
        dim = 0 if len(shape) in (0, 1, 3) else 1
    if not isinstance(dim, int) or not shape:
        return
    axis = dim % len(shape)
    if shape[axis] == 1:
        findings.tell(
            "softmax of one", event, event=event, bound="1" if event.name == "softmax" else "0",
            shape=dims(shape), dim=dim
        )
        return
    made = origin(event.maker_of(x), PASSING | ARITHMETIC | {"masked_fill", "masked_fill_", "where"})
    scores = made is not None and made.name in ("matmul", "bmm", "einsum", "__matmul__")
    if scores and len(shape) >= 3 and axis != len(shape) - 1:
        findings.tell(
            "softmax over the wrong axis", event, shape=dims(shape), dim=dim,
            chosen=CHOSEN if left_out else ""
        )
    elif axis == 0 and len(shape) >= 2 and shape[0] > 1:
        findings.tell("softmax over the batch", event, event=event, shape=dims(shape))
