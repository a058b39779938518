"""Look at the data first: targets of another coding, positions out of range, integers that wrap, samples that
are changed where they are stored.
"""

import ast
import itertools
from collections.abc import Iterator
from types import FrameType

import numpy as np
from numpy import ndarray

from ...core.value import TensorBase, innermost
from ..carried import loops_around
from ..scene import Scene
from ..trace import Event
from .attention import ATTENTION, hidden_by
from .collected import Findings, calls_of
from .makers import origin, values_of
from .targets import ragged_padding

#: Losses whose target is 1 or -1, and where it stands.
OF_SIGNS = {
    "margin_ranking_loss": 2, "cosine_embedding_loss": 2, "hinge_embedding_loss": 1, "soft_margin_loss": 1,
}  # fmt: skip

#: Arithmetic on integers, by the names of its calls, and what it is in wider ones.
WIDER = {
    "__sub__": np.subtract, "sub": np.subtract, "__add__": np.add, "add": np.add, "__mul__": np.multiply,
    "mul": np.multiply, "__neg__": np.negative, "neg": np.negative,
    "__rsub__": lambda a, b: np.subtract(b, a), "__radd__": np.add, "__rmul__": np.multiply,
}  # fmt: skip

#: Integers narrower than these are looked at: they wrap soon.
NARROW = ("uint8", "int8", "int16", "uint16")

#: Arithmetic in place.
IN_PLACE = {
    "__itruediv__", "__isub__", "__iadd__", "__imul__", "div_", "sub_", "add_", "mul_", "clamp_", "sqrt_",
    "log_", "exp_", "neg_", "abs_", "pow_",
}  # fmt: skip

#: Iterators that do not end.
ENDLESS = (itertools.cycle, itertools.count, itertools.repeat)

#: Sizes of features that differ by more than this are not to be mixed.
UNEVEN = 10.0

#: The part of positions that must lie outside for that to be a mistake.
MOSTLY = 0.5


@calls_of(*OF_SIGNS)
def _signs(event: Event, findings: Findings) -> None:
    """Say where targets are 0 and 1, and the loss takes 1 and -1."""
    labels = values_of(event.argument(OF_SIGNS[event.name], "target"))
    if labels is None or not labels.size:
        return
    zeros = int((labels == 0).sum())
    if zeros and not (labels < 0).any():
        findings.tell(
            "targets are 0 and 1: signs are expected", event, event=event, zeros=zeros, labels=labels
        )


@calls_of("grid_sample")
def _positions(event: Event, findings: Findings) -> None:
    """Say where a grid holds pixels, not numbers from -1 to 1."""
    values = values_of(event.argument(1, "grid"))
    if values is None or not values.size or event.argument(3, "padding_mode", "zeros") != "zeros":
        return
    share = float((np.abs(values) > 1).any(-1).mean())
    if share > MOSTLY:
        findings.tell(
            "positions out of range", event, percent=100 * share, least=values.min(), most=values.max()
        )


@calls_of(*WIDER)
def _wrapped(event: Event, findings: Findings) -> None:
    """Say where a sum or product of narrow integers does not fit."""
    out = values_of(event.outputs[0]) if len(event.outputs) == 1 else None
    if out is None or out.dtype.name not in NARROW or not out.size:
        return
    wide = []
    for argument in event.args[:2]:
        value = values_of(argument) if isinstance(argument, TensorBase) else argument
        if not isinstance(value, (int, ndarray)) or isinstance(value, bool):
            return
        wide.append(np.asarray(value).astype(np.int64))
    try:
        right = np.broadcast_to(WIDER[event.name](*wide), out.shape)  # type: ignore[operator]  # by its name
    except (TypeError, ValueError):
        return  # written with other arguments
    wrong = np.argwhere(right != out.astype(np.int64))
    if len(wrong):
        first = tuple(wrong[0])
        findings.tell(
            "integers wrap", event, out=out, count=len(wrong), right_value=right[first],
            wrong_value=out[first]
        )


@calls_of("div", "__truediv__", "div_", "__itruediv__")
def _standardised(event: Event, findings: Findings) -> None:
    """Say where data is not normalised by its own mean and deviation of each feature."""
    if event.wanted or len(event.inputs) != 2 or event.inputs[0][1] is None:
        return
    centred, scale = event.inputs[0][1], event.inputs[1][1]
    if scale is not None and scale.name in ("add", "__add__", "clamp") and scale.inputs:
        scale = scale.inputs[0][1]
    if centred.name not in ("sub", "__sub__") or len(centred.inputs) != 2 or scale is None:
        return
    x, mean = centred.inputs[0][0], centred.inputs[1][1]
    value = values_of(x)
    if value is None or mean is None or value.ndim < 2 or not scale.inputs or scale.inputs[0][0] is not x:
        return
    if mean.name == "mean" and scale.name == "var":
        findings.tell("divided by the variance", event)
    elif mean.name in ("std", "var") and scale.name == "mean":
        findings.tell("mean and deviation swapped", event)
    elif mean.name == "mean" and scale.name == "std" and value.ndim == 2 and len(value) > 1:
        along = scale.argument(1, "dim")
        sizes = np.abs(value.astype(np.float64)).mean(0)
        uneven = value.shape[1] > 1 and sizes.max() > UNEVEN * max(float(sizes.min()), 1e-30)
        if along in (1, -1, (1,), [1], (-1,)) and uneven:
            findings.tell(
                "normalised each row", mean.place or event.place, along=along, least=sizes.min(),
                most=sizes.max()
            )


@calls_of("__setitem__")
def _added_once(event: Event, findings: Findings) -> None:
    """Say where something is added at indices that occur several times, and counts once."""
    index, new = (event.args[1], event.args[2]) if len(event.args) > 2 else (None, None)
    made = event.maker_of(new) if isinstance(new, TensorBase) else None
    if made is None or made.name not in ("__iadd__", "add", "__add__", "add_", "__isub__", "sub"):
        return
    read = made.inputs[0][1]
    if read is None or read.name != "__getitem__" or read.inputs[0][0] is not event.inputs[0][0]:
        return
    parts = [values_of(i) for i in (index if isinstance(index, tuple) else (index,))
             if isinstance(i, TensorBase)]  # fmt: skip
    whole = [p for p in parts if p is not None and p.dtype.kind in "iu" and p.ndim]
    if not whole or len({p.shape for p in whole}) != 1:
        return
    places = np.stack([p.reshape(-1) for p in whole])
    different = np.unique(places, axis=1).shape[1]
    if different < places.shape[1]:
        findings.tell("repeated indices count once", event, axes=places.shape[1], different=different)


@calls_of("stack")
def _same_sample(event: Event, findings: Findings) -> None:
    """Say where samples are put together that are one and the same memory, written over for each of them."""
    tensors = [tensor for tensor, _ in event.inputs]
    count = len(tensors)
    arrays = [innermost(tensor) for tensor in tensors]
    if count < 2 or not all(isinstance(a, ndarray) and a.size for a in arrays):
        return
    first = arrays[0].__array_interface__["data"][0]
    same = all(a.__array_interface__["data"][0] == first and a.shape == arrays[0].shape for a in arrays)
    if same and tensors[0]._counter[0] >= count:
        findings.tell("one sample for all", event, count=count)


@calls_of("mean")
def _mean_of_padding(event: Event, findings: Findings) -> None:
    """Say where a mean over the steps of sequences counts their padding."""
    dim = event.argument(1, "dim")
    through = {"dropout", "relu", "tanh", "linear", "layer_norm"}
    made = origin(event.maker_of(event.argument(0, "input")), through)
    if made is None or made.name != "embedding" or dim not in (1, (1,), [1], -2):
        return
    values, pad = values_of(made.argument(0, "input")), made.argument(2, "padding_idx") or 0
    if values is None or not ragged_padding(values, pad):
        return
    is_pad = values == pad
    if not is_pad.all(1).any():
        findings.tell("mean of padding", event, padded=int(is_pad.sum()), is_pad=is_pad, pad=pad, made=made)


@calls_of(*ATTENTION)
def _added_mask(event: Event, findings: Findings) -> None:
    """Say where a mask of zeros and ones is added to the scores."""
    for name, at in ATTENTION[event.name].items():
        mask = event.argument(at, name)
        value = values_of(mask)
        if value is None or value.dtype.kind != "f" or mask._node is not None:
            continue
        if ((value == 0) | (value == 1)).all() and (value == 1).any():
            findings.tell("mask of floats", event)


@calls_of(*ATTENTION)
def _hides_the_past(event: Event, findings: Findings) -> None:
    """Say where a mask hides from each step those before it, and shows those after it."""
    mask = event.argument(ATTENTION[event.name]["attn_mask"], "attn_mask")
    value = values_of(mask)
    if value is None or value.ndim < 2 or value.shape[-1] != value.shape[-2] or value.shape[-1] < 3:
        return
    closed = hidden_by(event, value).reshape(-1, *value.shape[-2:])[0]
    earlier = np.tril(np.ones_like(closed), -1)
    if closed[earlier].all() and not closed[np.triu(np.ones_like(closed), 1)].any():
        maker = _made_elsewhere(event, event.maker_of(mask))
        findings.tell(
            "mask hides the past", (None if maker is None else maker.place) or event.place, event=event
        )


def _made_elsewhere(event: Event, maker: Event | None) -> Event | None:
    """Return the call that made a value, past those that were made for a call on its own line."""
    waiting = [] if maker is None else [maker]
    for current in waiting:
        if current.frames[:1] != event.frames[:1]:
            return current
        waiting += [m for _, m in current.inputs if m is not None and m not in waiting]
    return maker


@calls_of("multi_head_attention_forward")
def _value_of_query(event: Event, findings: Findings) -> None:
    """Say where keys come from one sequence and values from the one that asks."""
    query, key, value = (event.argument(k, n) for k, n in enumerate(("query", "key", "value")))
    made = [m.inputs[0][0] if m is not None and m.name == "transpose" and m.inputs else t
            for t in (query, key, value) for m in (event.maker_of(t),)]  # fmt: skip
    if made[0] is made[2] and made[1] is not made[0]:
        findings.tell("value is the query", event)


@calls_of("multi_head_attention_forward")
def _hidden_words(event: Event, findings: Findings) -> None:
    """Say where a mask of the padding hides what is no padding."""
    hidden = values_of(event.argument(14, "key_padding_mask"))
    through = {"mul", "__mul__", "__rmul__", "add", "__add__", "dropout", "layer_norm", "transpose"}
    embedded = origin(event.maker_of(event.argument(0, "query")), through)
    if hidden is None or embedded is None or embedded.name != "embedding" or hidden.ndim != 2:
        return
    words, pad = values_of(embedded.argument(0, "input")), embedded.argument(2, "padding_idx") or 0
    closed = hidden_by(event, hidden)
    if words is None or words.shape != closed.shape or not closed.any():
        return
    is_pad = words == pad
    if is_pad.any() and np.array_equal(closed, ~is_pad):
        findings.tell("mask hides the words", event)


def look_at_loops(scene: Scene, findings: Findings) -> None:
    """Say where a loop around backward goes over an iterator that is full in the first turn only."""
    scope = scene.scope
    loops = [loop for loop in loops_around(scene) if isinstance(loop, ast.For)]
    if len(loops_around(scene)) < 2 or not loops:
        return
    outer = loops_around(scene)[-1]
    for loop in loops:
        if loop is outer or any(isinstance(node, ast.Break) for node in ast.walk(loop)):
            continue
        if "zip(" in ast.unparse(loop.iter):
            continue  # the shortest of several ends it
        names = [node.id for node in ast.walk(loop.iter) if isinstance(node, ast.Name)]
        for name in names:
            value = scene.value(name)
            made = scope.assigning(name)
            anew = any(outer.lineno <= s.line <= (outer.end_lineno or s.line) for s in made)
            if isinstance(value, Iterator) and not isinstance(value, ENDLESS) and not anew:
                findings.tell("iterator used up", scope.place_of_line(loop.lineno), name=name)


def look_at_stored(event: Event, frame: FrameType, findings: Findings) -> None:
    """Say where reading a sample changes the data set that holds it."""
    code = frame.f_code
    if event.name not in IN_PLACE or code.co_name != "__getitem__" or not code.co_varnames:
        return
    written = innermost(event.inputs[0][0])
    owner = frame.f_locals.get(code.co_varnames[0])
    for name, value in list(getattr(owner, "__dict__", {}).items()):
        held = innermost(value) if isinstance(value, TensorBase) else value
        if isinstance(held, ndarray) and isinstance(written, ndarray) and np.may_share_memory(held, written):
            findings.tell("data changed in place", event, name=name)
            return
