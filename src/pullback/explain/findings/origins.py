"""Follow a value that is not finite back to the call that made it of finite ones.

The way leads through writes in place, past the infinities of masks, which are meant, and into the running
statistics of batch norm, which an earlier call wrote.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..counterfactual import writes
from ..finite import has_nan, is_finite
from ..shown import widened
from ..trace import Event, Trace, statistics_of
from .makers import values_of

#: Values that a mask puts in: their infinities are meant.
MASKING = {"masked_fill", "masked_fill_", "where", "full", "full_like", "triu", "tril", "fill_", "zeros_like"}

#: Calls that hand on the infinities of a mask.
CARRYING = {
    "add", "__add__", "__radd__", "__iadd__", "add_", "max", "amax", "min", "amin", "maximum", "__getitem__",
    "view", "reshape", "unsqueeze", "squeeze", "expand", "expand_as", "repeat", "transpose", "permute",
    "contiguous", "to", "clone", "float", "half", "cat", "stack", "flatten", "detach", "values", "logsumexp",
}  # fmt: skip

#: Calls that add a mask which is given to them.
ADDING = {"add", "__add__", "__radd__", "__iadd__", "add_", "baddbmm"}

#: Calls that make a tensor without being given one.
MADE_EMPTY = {
    "rand", "randn", "zeros", "ones", "empty", "arange", "eye", "linspace", "randint", "randperm", "normal",
    "empty_like", "rand_like", "randn_like", "ones_like", "zeros_like", "new_zeros", "new_ones", "new_empty",
    "uniform_", "normal_", "zero_",
}  # fmt: skip


def first_not_finite(tensor: Any, trace: Trace) -> tuple[Event | None, Any]:
    """Return (call, tensor): the first that gave infinities for finite values, or (None, what came in)."""
    event = trace.maker_of(tensor)
    if event is None:
        return None, tensor
    seen: set[Event] = set()
    given = tensor
    while True:
        event = _spoiling_write(event, given)
        seen.add(event)
        given, maker = next(_leading_on(event, seen), (None, None))
        if given is None:
            if event.name in MADE_EMPTY and event.outputs:
                event = _written_into(event, trace)
            return event, event.outputs[0] if event.outputs else tensor
        if maker is None:
            return None, given
        event = maker


def _leading_on(event: Event, seen: set[Event]) -> Iterator[tuple[Any, Event | None]]:
    """Return the inputs of a call, with their makers, from which what is not finite came; NaN first."""
    own = [*event.outputs, *statistics_of(event)]
    bad = [
        (given, maker) for given, maker in event.inputs
        if not is_finite(given) and maker not in seen and not any(given is one for one in own)
    ]  # fmt: skip
    for given, maker in bad:
        if has_nan(given):
            yield given, maker
    for given, maker in bad:
        if not has_nan(given) and not is_mask(given, maker, event):
            yield given, maker


def is_mask(tensor: Any, maker: Event | None, user: Event, depth: int = 20) -> bool:
    """Return whether the infinities that a call is given are those of a mask, and meant."""
    value = values_of(tensor)
    if value is None or has_nan(value):
        return False
    if maker is not None and maker.name in MASKING:
        return depth > 0 and all(
            is_finite(given) or is_mask(given, before, maker, depth - 1) for given, before in maker.inputs
            if not any(given is out for out in maker.outputs)
        )  # fmt: skip
    if value.dtype.kind == "c" or np.isposinf(widened(value)).any():
        return False
    if maker is None:
        return user.name in ADDING and tensor._node is None
    if not maker.inputs or maker.name == "tensor":
        return True
    bad = [(given, before) for given, before in maker.inputs if not is_finite(given)]
    return bool(bad) and depth > 0 and maker.name in CARRYING and all(
        is_mask(given, before, maker, depth - 1) for given, before in bad
    )  # fmt: skip


def _written_by(event: Event, tensor: Any) -> bool:
    """Return whether a call wrote into a tensor that was there before."""
    written = event.outputs[:1] if writes(event) else statistics_of(event)
    return any(tensor is one for one in written)


def _spoiling_write(event: Event, tensor: Any) -> Event:
    """Return which of the calls that wrote into a tensor spoilt it; the last one where none of them did."""
    chain: list[Event] = []
    current: Event | None = event
    while current is not None and current not in chain and _written_by(current, tensor):
        chain.append(current)
        current = current.maker_of(tensor)
    for write in reversed(chain):
        own = [tensor, *statistics_of(write)]
        others = [t for t, _ in write.inputs if not any(t is one for one in own)]
        numbers = [*write.args[1:], *write.kwargs.values()]
        if not all(map(is_finite, others)) or any(
            isinstance(x, float) and not math.isfinite(x) for x in numbers
        ):
            return write
    return event


def _written_into(made: Event, trace: Trace) -> Event:
    """Return the call that wrote into a part of a tensor which was finite when it was made."""
    value = values_of(made.outputs[0])
    for event in trace.events:
        if event.number > made.number and event.outputs and writes(event) and value is not None:
            part = values_of(event.outputs[0])
            if part is not None and not is_finite(event.outputs[0]) and np.may_share_memory(part, value):
                return event
    return made
